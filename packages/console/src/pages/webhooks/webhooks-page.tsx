/** The account's webhooks: where messages are sent, and whether they are taken. */
import type { WebhookEndpoint } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Empty } from "../../design/empty.tsx"
import { Failure } from "../../design/failure.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { toHref } from "../../router/route.ts"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { NewWebhook } from "./new-webhook.tsx"
import { toCondition } from "./webhook-condition.ts"
import "./webhooks-page.css"

export function Page(): JSX.Element {
  const client = useClient()
  const isAdding = useSignal(false)
  const { state, reload } = useLoaded((signal) => client.webhooks.list({ signal }), [client])
  const { value: webhooks, error } = state.value
  return (
    <div class="stack">
      <PageHead title="Webhooks">
        <Button look="main" onPress={() => (isAdding.value = true)}>
          Add a webhook
        </Button>
      </PageHead>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {webhooks === undefined ? error === undefined && <Waiting /> : <List webhooks={webhooks} />}
      {isAdding.value && (
        <NewWebhook
          onClose={() => {
            isAdding.value = false
            reload()
          }}
        />
      )}
    </div>
  )
}

function List({ webhooks }: { readonly webhooks: readonly WebhookEndpoint[] }): JSX.Element {
  if (webhooks.length === 0) {
    return <Empty title="No webhooks yet">Add one to be told when a task is finished.</Empty>
  }
  return (
    <ul class="webhooks">
      {webhooks.map((webhook) => (
        <li key={webhook.id} class="card">
          <a href={toHref(["webhooks", webhook.id])}>
            <bdi>{webhook.url}</bdi>
          </a>
          {webhook.description !== "" && (
            <p>
              <bdi>{webhook.description}</bdi>
            </p>
          )}
          <p class="soft small">
            {toCondition(webhook)} · {webhook.events.join(", ")}
          </p>
        </li>
      ))}
    </ul>
  )
}
