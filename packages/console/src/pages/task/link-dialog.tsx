/**
 * Makes a private link to an artifact. It is made when it is asked for, since everyone who has it can open the
 * artifact.
 */
import type { ArtifactLink } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Choice } from "../../design/choice.tsx"
import { CopyButton } from "../../design/copy-button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { toSentence } from "../../design/failure.tsx"
import { Moment } from "../../design/moment.tsx"
import { useClient } from "../../session/session.ts"

const SPANS = [
  ["An hour", 3_600],
  ["A day", 86_400],
  ["A week", 604_800],
] as const

export interface LinkDialogProps {
  readonly task: string
  readonly artifact: string
  readonly onClose: () => void
}

export function LinkDialog({ task, artifact, onClose }: LinkDialogProps): JSX.Element {
  const client = useClient()
  const seconds = useSignal("86400")
  const link = useSignal<ArtifactLink | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)

  async function make(): Promise<void> {
    fault.value = undefined
    try {
      const expiresInSeconds = Number(seconds.value)
      link.value = await client.artifact(task, artifact).link({ expiresInSeconds })
    } catch (error) {
      fault.value = toSentence(error)
    }
  }

  return (
    <Dialog title={`Private link to ${artifact}`} onClose={onClose}>
      <p class="soft">Whoever has the link can open this artifact, without a key.</p>
      <Choice
        label="It opens the artifact for"
        fault={fault.value}
        value={seconds.value}
        options={SPANS.map(([words, each]) => [String(each), words])}
        onChoose={(each) => (seconds.value = each)}
      />
      {link.value === undefined ? (
        <Button look="main" onPress={() => void make()}>
          Make the link
        </Button>
      ) : (
        <div>
          <code>{link.value.url}</code>
          <p class="line spread soft small">
            <span>
              It ends <Moment atMs={link.value.expires_at * 1000} />.
            </span>
            <CopyButton text={link.value.url} what="The link was" />
          </p>
        </div>
      )}
    </Dialog>
  )
}
