/** What a new key may do, and for how long. */
import { isApiError, type ApiKey } from "@safelight/client"
import { useSignal, type Signal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Choice } from "../../design/choice.tsx"
import { toSentence } from "../../design/failure.tsx"
import { useClient } from "../../session/session.ts"
import "./new-key-form.css"

type Scope = ApiKey["scopes"][number]

const SCOPES: readonly (readonly [Scope, string])[] = [
  ["tasks:write", "submit and cancel tasks"],
  ["tasks:read", "read tasks, usage and streams"],
  ["artifacts:read", "download artifacts"],
  ["links:write", "make private links"],
  ["webhooks:write", "read and change webhooks"],
  ["admin", "all of this console’s operator pages, over all accounts"],
]

const LIFETIMES: readonly (readonly [seconds: number, label: string])[] = [
  [0, "never"],
  [86_400, "in a day"],
  [30 * 86_400, "in 30 days"],
  [365 * 86_400, "in a year"],
]

export interface NewKeyFormProps {
  readonly account: string
  readonly onMade: (key: string) => void
}

export function NewKeyForm({ account, onMade }: NewKeyFormProps): JSX.Element {
  const { admin } = useClient()
  const scopes = useSignal<readonly Scope[]>(
    SCOPES.map(([scope]) => scope).filter((scope) => scope !== "admin"),
  )
  const lifetime = useSignal(0)
  const isBusy = useSignal(false)
  const fault = useSignal<string | undefined>(undefined)

  async function make(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy.value) return
    isBusy.value = true
    try {
      const expires = lifetime.value === 0 ? {} : { expires_in: lifetime.value }
      const terms = { scopes: scopes.value, ...expires }
      onMade((await admin.accounts.createKey(account, terms)).key)
    } catch (error) {
      if (!isApiError(error)) throw error
      fault.value = toSentence(error)
    } finally {
      isBusy.value = false
    }
  }

  return (
    <form class="stack" onSubmit={(event) => void make(event)}>
      <ScopeChoices scopes={scopes} />
      <Choice
        label="It ends"
        fault={fault.value}
        value={String(lifetime.value)}
        options={LIFETIMES.map(([seconds, words]) => [String(seconds), words])}
        onChoose={(seconds) => (lifetime.value = Number(seconds))}
      />
      <Button
        type="submit"
        look="main"
        isBusy={isBusy.value}
        isDisabled={scopes.value.length === 0}
      >
        Make it
      </Button>
    </form>
  )
}

function ScopeChoices({ scopes }: { readonly scopes: Signal<readonly Scope[]> }): JSX.Element {
  function choose(scope: Scope, isChosen: boolean): void {
    const others = scopes.value.filter((each) => each !== scope)
    scopes.value = isChosen ? [...others, scope] : others
  }

  return (
    <fieldset class="key-scopes">
      <legend>It may</legend>
      {SCOPES.map(([scope, words]) => (
        <label key={scope} class="line">
          <input
            type="checkbox"
            checked={scopes.value.includes(scope)}
            onChange={(event) => choose(scope, event.currentTarget.checked)}
          />
          <span>
            {words} <code class="soft small">{scope}</code>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
