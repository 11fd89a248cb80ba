/** Copies a text. A browser that allows no copying says so, and the text stays selectable. */
import type { JSX } from "preact"
import { Button } from "./button.tsx"
import { showToast } from "./toasts.tsx"

async function write(text: string, what: string): Promise<void> {
  try {
    // A page without HTTPS has no clipboard.
    if (!isSecureContext) throw new TypeError("no clipboard")
    await navigator.clipboard.writeText(text)
  } catch {
    showToast("This browser allows no copying here.", { isFailure: true })
    return
  }
  showToast(`${what} copied.`)
}

export interface CopyButtonProps {
  readonly text: string
  readonly label?: string
  /** What was copied, for the message. */
  readonly what: string
}

export function CopyButton({ text, label = "Copy", what }: CopyButtonProps): JSX.Element {
  const copy = (): void => {
    void write(text, what)
  }
  return (
    <Button look="quiet" icon="copy" onPress={copy}>
      {label}
    </Button>
  )
}
