/** The page before all others: asks for a key, and says why a session ended if one did. */
import { isApiError } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../design/button.tsx"
import { Field } from "../design/field.tsx"
import { Lamp } from "../design/lamp.tsx"
import { endedBecause, signIn } from "./session.ts"
import "./sign-in-page.css"

export function SignInPage(): JSX.Element {
  const key = useSignal("")
  const isKept = useSignal(false)
  const isBusy = useSignal(false)
  const fault = useSignal<string | undefined>(undefined)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy.value) return
    isBusy.value = true
    fault.value = undefined
    try {
      await signIn(key.value.trim(), isKept.value)
    } catch (error) {
      fault.value = toSentence(error)
    } finally {
      isBusy.value = false
    }
  }

  return (
    <main class="sign-in">
      <form class="card sign-in-form" onSubmit={(event) => void submit(event)}>
        <div class="sign-in-head">
          <Lamp />
          <h1>Safelight</h1>
        </div>
        {endedBecause.value !== undefined && (
          <p class="sign-in-notice" role="status">
            {endedBecause}
          </p>
        )}
        <Field label="API key" hint="It stays in this page." fault={fault.value}>
          {(attributes) => (
            <input
              {...attributes}
              type="password"
              autocomplete="off"
              spellcheck={false}
              required
              value={key}
              onInput={(event) => (key.value = event.currentTarget.value)}
            />
          )}
        </Field>
        <label class="check">
          <input
            type="checkbox"
            checked={isKept}
            onChange={(event) => (isKept.value = event.currentTarget.checked)}
          />
          Stay signed in until this tab is closed
        </label>
        <Button type="submit" look="main" isBusy={isBusy.value}>
          Sign in
        </Button>
      </form>
    </main>
  )
}

function toSentence(error: unknown): string {
  if (error instanceof TypeError) return "This is not an API key."
  if (!isApiError(error)) throw error
  if (error.code === "no_answer") return "The service can't be reached. Try again."
  if (error.status === 401) return `The service does not accept this key: ${error.message}`
  return error.message
}
