/** The console's few icons, drawn as lines. They only accompany words, so screen readers skip them. */
import type { JSX } from "preact"

const PATHS = {
  playground:
    "M4 20 15 9m-2-4 1-2 1 2 2 1-2 1-1 2-1-2-2-1zM19 12l.7 1.3L21 14l-1.3.7L19 16l-.7-1.3L17 14l1.3-.7z",
  models: "M4 8l8-4 8 4-8 4zM4 12l8 4 8-4M4 16l8 4 8-4",
  tasks: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01",
  gallery: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
  usage: "M4 20V10M10 20V4M16 20v-7M22 20H2",
  spending:
    "M4 12a8 8 0 1 0 16 0 8 8 0 1 0-16 0M15 9c-1-2-6-1.5-6 .8 0 2.7 6 1.5 6 4.3 0 2.3-5 2.5-6 .4M12 6v12",
  webhooks: "M4 12h6m4 0h6M10 12a2 2 0 1 0 4 0 2 2 0 1 0-4 0M18 8l4 4-4 4",
  channels:
    "M4 7h10M18 7h2M4 17h2M10 17h10M14 7a2 2 0 1 0 4 0 2 2 0 1 0-4 0M6 17a2 2 0 1 0 4 0 2 2 0 1 0-4 0",
  accounts: "M8 8a4 4 0 1 0 8 0 4 4 0 1 0-8 0M4 21c0-5 16-5 16 0",
  system: "M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 1 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5",
  moon: "M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  close: "M6 6l12 12M18 6 6 18",
  leave: "M14 4H5v16h9M10 12h11m-3-4 4 4-4 4",
  again: "M20 11A8 8 0 1 0 18 17M20 4v7h-7",
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg
      class="icon"
      width="18"
      height="18"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
