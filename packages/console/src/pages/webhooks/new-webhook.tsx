/** Adds a webhook, then shows its secret, which can't be shown again. */
import { isApiError, type WebhookEndpointWithSecret } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { CopyButton } from "../../design/copy-button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { toSentence } from "../../design/failure.tsx"
import { Field } from "../../design/field.tsx"
import { useClient } from "../../session/session.ts"

export function NewWebhook({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const made = useSignal<WebhookEndpointWithSecret | undefined>(undefined)
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      {made.value === undefined ? (
        <NewWebhookForm onMade={(webhook) => (made.value = webhook)} />
      ) : (
        <Secret secret={made.value.secret} />
      )}
    </Dialog>
  )
}

export function Secret({ secret }: { readonly secret: string }): JSX.Element {
  return (
    <>
      <p>Messages are signed with this secret. Store it now: it can’t be shown again.</p>
      <code>{secret}</code>
      <CopyButton text={secret} what="The secret was" />
    </>
  )
}

interface NewWebhookFormProps {
  readonly onMade: (webhook: WebhookEndpointWithSecret) => void
}

function NewWebhookForm({ onMade }: NewWebhookFormProps): JSX.Element {
  const client = useClient()
  const url = useSignal("")
  const description = useSignal("")
  const isBusy = useSignal(false)
  const fault = useSignal<string | undefined>(undefined)

  async function make(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy.value) return
    isBusy.value = true
    fault.value = undefined
    try {
      const given = description.value.trim()
      onMade(
        await client.webhooks.create({
          url: url.value.trim(),
          ...(given !== "" && { description: given }),
        }),
      )
    } catch (error) {
      if (!isApiError(error)) throw error
      fault.value = toSentence(error)
    } finally {
      isBusy.value = false
    }
  }

  return (
    <form class="stack" onSubmit={(event) => void make(event)}>
      <Field label="Address" hint="Told when a task has succeeded or failed." fault={fault.value}>
        {(attributes) => (
          <input
            {...attributes}
            type="url"
            required
            placeholder="https://"
            value={url}
            onInput={(event) => (url.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Description">
        {(attributes) => (
          <input
            {...attributes}
            value={description}
            onInput={(event) => (description.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <Button type="submit" look="main" isBusy={isBusy.value}>
        Add it
      </Button>
    </form>
  )
}
