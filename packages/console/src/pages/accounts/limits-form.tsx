/** The limits of an account. Only what was changed is sent, so that two operators don't undo each other. */
import { isApiError, type AccountChange, type OperatorAccount } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { toSentence } from "../../design/failure.tsx"
import { Field } from "../../design/field.tsx"
import { showToast } from "../../design/toasts.tsx"
import { useClient } from "../../session/session.ts"
import { LIMITS, parseLimit, toText, type LimitName } from "./limits.ts"
import "./limits-form.css"

type Texts = Readonly<Partial<Record<LimitName, string>>>

export interface LimitsFormProps {
  readonly account: OperatorAccount
  readonly onSaved: () => void
}

export function LimitsForm({ account, onSaved }: LimitsFormProps): JSX.Element {
  const { admin } = useClient()
  const written = useSignal<Texts>({})
  const faults = useSignal<Texts>({})
  const isBusy = useSignal(false)
  const names = LIMITS.map(({ name }) => name)
  const changed = names.filter((name) => {
    const text = written.value[name]
    return text !== undefined && text.trim() !== toText(account, name)
  })

  async function save(event: Event): Promise<void> {
    event.preventDefault()
    const { change, wrong } = toChange(changed, written.value)
    faults.value = wrong
    if (isBusy.value || Object.keys(wrong).length > 0) return
    isBusy.value = true
    try {
      await admin.accounts.set(account.account, change)
      showToast("Saved.")
      onSaved()
    } catch (error) {
      const param = isApiError(error) ? names.find((name) => name === error.param) : undefined
      if (param === undefined) showToast(toSentence(error), { isFailure: true })
      else faults.value = { [param]: toSentence(error) }
    } finally {
      isBusy.value = false
    }
  }

  return (
    <section class="card stack" aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <form class="stack" onSubmit={(event) => void save(event)}>
        <div class="limits">
          {LIMITS.map(({ name, label, hint }) => (
            <Field key={name} label={label} hint={hint} fault={faults.value[name]}>
              {(attributes) => (
                <input
                  {...attributes}
                  autocomplete="off"
                  value={written.value[name] ?? toText(account, name)}
                  onInput={(event) => {
                    written.value = { ...written.value, [name]: event.currentTarget.value }
                  }}
                />
              )}
            </Field>
          ))}
        </div>
        <div class="line">
          <Button type="submit" look="main" isBusy={isBusy.value} isDisabled={changed.length === 0}>
            Save
          </Button>
        </div>
      </form>
    </section>
  )
}

function toChange(
  names: readonly LimitName[],
  texts: Texts,
): { readonly change: AccountChange; readonly wrong: Texts } {
  let change: AccountChange = {}
  let wrong: Texts = {}
  for (const name of names) {
    const parsed = parseLimit(name, texts[name] ?? "")
    if (parsed === undefined) wrong = { ...wrong, [name]: "This is not what the field takes." }
    else change = { ...change, ...parsed }
  }
  return { change, wrong }
}
