/** Takes the key of the log's operator, or shows that one was given. */
import { useSignal } from "@preact/signals"
import { isApiError } from "@safelight/client"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { toSentence } from "../../design/failure.tsx"
import { Field } from "../../design/field.tsx"
import { forgetKey, pinKey, pinnedKey, toFingerprint } from "./pinned-key.ts"

const NO_KEY = "This is no public key of a log: it has the form name+id+base64."

export function PinnedKeyForm(): JSX.Element {
  const key = pinnedKey.value
  return key === undefined ? <KeyForm /> : <KeptKey fingerprint={toFingerprint(key)} />
}

function KeptKey({ fingerprint }: { readonly fingerprint: string }): JSX.Element {
  return (
    <div class="line spread">
      <p class="soft small">
        Proofs are verified by the key that you gave, <code>{fingerprint}</code>, and by no other.
        It stays in this browser.
      </p>
      <Button look="quiet" onPress={forgetKey}>
        Forget the key
      </Button>
    </div>
  )
}

function KeyForm(): JSX.Element {
  const text = useSignal("")
  const fault = useSignal<string | undefined>(undefined)

  async function pin(event: Event): Promise<void> {
    event.preventDefault()
    try {
      fault.value = (await pinKey(text.value.trim())) ? undefined : NO_KEY
    } catch (error) {
      if (!isApiError(error)) throw error
      fault.value = toSentence(error)
    }
  }

  return (
    <form class="proof-key" onSubmit={(event) => void pin(event)}>
      <Field
        label="The operator’s key"
        hint="As its operator gave it to you elsewhere, not through this service. It stays in this browser."
        fault={fault.value}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder="name+id+base64"
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <Button type="submit" isDisabled={text.value.trim() === ""}>
        Use this key
      </Button>
    </form>
  )
}
