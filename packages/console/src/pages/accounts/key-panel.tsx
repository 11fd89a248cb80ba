/** The keys of an account: each is revoked or replaced after a question. A secret is shown once, when it is made. */
import type { ApiKey } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { CopyButton } from "../../design/copy-button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Empty } from "../../design/empty.tsx"
import { toSentence } from "../../design/failure.tsx"
import { Moment } from "../../design/moment.tsx"
import { PlainTable } from "../../design/plain-table.tsx"
import { showToast } from "../../design/toasts.tsx"
import { useClient } from "../../session/session.ts"
import { AskedButton } from "./asked-button.tsx"
import { NewKeyForm } from "./new-key-form.tsx"

const TITLES = ["Key", "State", "Scopes", "Made", "Ends", ""]

export interface KeyPanelProps {
  readonly account: string
  readonly keys: readonly ApiKey[]
  readonly onChanged: () => void
}

export function KeyPanel({ account, keys, onChanged }: KeyPanelProps): JSX.Element {
  const { admin } = useClient()
  const isMaking = useSignal(false)
  const made = useSignal<string | undefined>(undefined)

  function close(): void {
    isMaking.value = false
    made.value = undefined
    onChanged()
  }

  async function rotate(id: string): Promise<void> {
    try {
      made.value = (await admin.accounts.rotateKey(account, id)).key
    } catch (error) {
      showToast(toSentence(error), { isFailure: true })
    }
  }

  const rows = keys.map((key) => ({
    id: key.id,
    cells: [
      <code>{key.id}</code>,
      key.state,
      key.scopes.join(", "),
      <Moment atMs={key.created_at * 1_000} />,
      key.expires_at === 0 ? "never" : <Moment atMs={key.expires_at * 1_000} />,
      key.state === "valid" && (
        <span class="line">
          <Button onPress={() => void rotate(key.id)}>
            Replace<span class="unseen"> {key.id}</span>
          </Button>
          <AskedButton
            verb="Revoke"
            what={key.id}
            follows="Every process refuses the key within a second, for good."
            act={() => admin.accounts.revokeKey(account, key.id)}
            done="Revoked."
            onDone={onChanged}
          />
        </span>
      ),
    ],
  }))
  return (
    <section class="card stack" aria-labelledby="keys">
      <div class="line spread">
        <h2 id="keys">Keys</h2>
        <Button onPress={() => (isMaking.value = true)}>Make a key</Button>
      </div>
      {keys.length === 0 ? (
        <Empty title="No keys">Nobody can act for this account.</Empty>
      ) : (
        <PlainTable label="The keys of the account" titles={TITLES} rows={rows} />
      )}
      {(isMaking.value || made.value !== undefined) && (
        <Dialog title={made.value === undefined ? "Make a key" : "The new key"} onClose={close}>
          {made.value === undefined ? (
            <NewKeyForm account={account} onMade={(key) => (made.value = key)} />
          ) : (
            <>
              <p>Store it now: it can’t be shown again. Whoever has it acts for the account.</p>
              <code class="key-text">{made.value}</code>
              <CopyButton text={made.value} what="The key was" />
            </>
          )}
        </Dialog>
      )}
    </section>
  )
}
