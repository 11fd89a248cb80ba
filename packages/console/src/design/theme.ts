/** The theme: the system's, until the reader chooses one. A choice is kept in this browser. */
import { effect, signal, type ReadonlySignal } from "@preact/signals"

export type Theme = "dark" | "light"

const STORED = "safelight-theme"
const light = matchMedia("(prefers-color-scheme: light)")
const chosen = signal<Theme>(readTheme())

export const theme: ReadonlySignal<Theme> = chosen

/** Shows the theme from now on, and follows the system for as long as nothing was chosen. */
export function followTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = chosen.value
  })
  light.addEventListener("change", () => (chosen.value = readTheme()))
}

export function switchTheme(): void {
  chosen.value = chosen.value === "dark" ? "light" : "dark"
  localStorage.setItem(STORED, chosen.value)
}

function readTheme(): Theme {
  const stored = localStorage.getItem(STORED)
  if (stored === "dark" || stored === "light") return stored
  return light.matches ? "light" : "dark"
}
