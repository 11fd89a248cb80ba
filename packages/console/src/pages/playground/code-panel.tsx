/** The lines that do the same elsewhere, in one of two languages. What is copied is whole, what is shown is shortened. */
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { CopyButton } from "../../design/copy-button.tsx"
import { shorten, toCurl, toTypeScript, type Order } from "./code-lines.ts"

const LANGUAGES = [
  ["curl", toCurl],
  ["TypeScript", toTypeScript],
] as const

export function CodePanel({ order }: { readonly order: Order }): JSX.Element {
  const chosen = useSignal<(typeof LANGUAGES)[number]>(LANGUAGES[0])
  const [name, write] = chosen.value
  const code = write(location.origin, order)
  return (
    <section class="card code" aria-label="The same by code">
      <div class="line spread">
        <div class="line" role="group" aria-label="Language">
          {LANGUAGES.map((each) => (
            <button
              key={each[0]}
              type="button"
              class="tool code-tab"
              aria-pressed={each[0] === name}
              onClick={() => (chosen.value = each)}
            >
              {each[0]}
            </button>
          ))}
        </div>
        <CopyButton text={code} what="The code was" />
      </div>
      <pre tabIndex={0}>{shorten(code)}</pre>
    </section>
  )
}
