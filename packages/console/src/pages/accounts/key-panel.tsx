/** The keys of an account: each is revoked or replaced after a question. A secret is shown once, when it is made. */
import type { ApiKey } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { CopyButton } from "../../design/copy-button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Empty } from "../../design/empty.tsx"
import { Moment } from "../../design/moment.tsx"
import { PlainTable } from "../../design/plain-table.tsx"
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
  const isMaking = useSignal(false)
  const made = useSignal<string | undefined>(undefined)

  function close(): void {
    isMaking.value = false
    made.value = undefined
    onChanged()
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
        <KeyActions apiKey={key} onReplaced={(text) => (made.value = text)} onRevoked={onChanged} />
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
            <KeyText text={made.value} />
          )}
        </Dialog>
      )}
    </section>
  )
}

interface KeyActionsProps {
  readonly apiKey: ApiKey
  readonly onReplaced: (key: string) => void
  readonly onRevoked: () => void
}

function KeyActions({ apiKey, onReplaced, onRevoked }: KeyActionsProps): JSX.Element {
  const { accounts } = useClient().admin
  const { account, id } = apiKey
  return (
    <span class="line">
      <AskedButton
        verb="Replace"
        what={id}
        follows="A key of the same scopes is made and shown once. This one ends at once."
        act={async () => onReplaced((await accounts.rotateKey(account, id)).key)}
        done="Replaced."
      />
      <AskedButton
        verb="Revoke"
        what={id}
        follows="Every process refuses the key within a second, for good."
        act={() => accounts.revokeKey(account, id)}
        done="Revoked."
        onDone={onRevoked}
      />
    </span>
  )
}

function KeyText({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      <p>Store it now: it can’t be shown again. Whoever has it acts for the account.</p>
      <code class="key-text">{text}</code>
      <CopyButton text={text} what="The key was" />
    </>
  )
}
