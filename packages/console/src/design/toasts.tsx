/** Short messages about what was just done. Screen readers read them; they disappear by themselves, unless they tell of a failure. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import { Icon } from "./icon.tsx"
import "./toasts.css"

interface Toast {
  readonly id: number
  readonly words: string
  readonly isFailure: boolean
}

const SHOWN_MS = 5_000
const MOST_SHOWN = 4

const toasts = signal<readonly Toast[]>([])
let count = 0

export function showToast(words: string, { isFailure = false } = {}): void {
  const id = (count += 1)
  toasts.value = [...toasts.value, { id, words, isFailure }].slice(-MOST_SHOWN)
  if (!isFailure) setTimeout(() => close(id), SHOWN_MS)
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, words, isFailure }) => (
        <div key={id} class={isFailure ? "toast failed" : "toast"}>
          <span>{words}</span>
          <button type="button" class="toast-close" onClick={() => close(id)}>
            <span class="unseen">Close this message</span>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}

function close(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id)
}
