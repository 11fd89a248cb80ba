/** One webhook: what was sent to it and what it answered; a test, sending again, switching off and deleting. */
import type { WebhookDelivery, WebhookEndpoint } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { showToast } from "../../design/toasts.tsx"
import { useAct } from "../../design/use-act.ts"
import type { PageProps } from "../../router/pages.ts"
import { goTo, toHref } from "../../router/route.ts"
import { LoadedPage } from "../../session/loaded-page.tsx"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { Deliveries } from "./deliveries.tsx"
import { toCondition } from "./webhook-condition.ts"

const LATEST = 50

interface Whole {
  readonly webhook: WebhookEndpoint
  readonly deliveries: readonly WebhookDelivery[]
}

export function Page({ rest: [id = ""] }: PageProps): JSX.Element {
  const { webhooks } = useClient()
  const loading = useLoaded(
    async (signal): Promise<Whole> => {
      const [webhook, page] = await Promise.all([
        webhooks.get(id, { signal }),
        webhooks.deliveries(id, { limit: LATEST }, { signal }),
      ])
      return { webhook, deliveries: page.deliveries }
    },
    [webhooks, id],
  )
  const missing = {
    code: "webhook_not_found",
    title: "There is no such webhook",
    words: <a href="#/webhooks">See all webhooks</a>,
  }
  return (
    <LoadedPage loading={loading} missing={missing}>
      {(whole) => <WebhookView whole={whole} onChanged={loading.reload} />}
    </LoadedPage>
  )
}

interface WebhookViewProps {
  readonly whole: Whole
  readonly onChanged: () => void
}

function WebhookView({ whole, onChanged }: WebhookViewProps): JSX.Element {
  const { webhooks } = useClient()
  const { act } = useAct()
  const { webhook, deliveries } = whole
  const { id, enabled } = webhook

  /** Does something, says so, and shows what is then. */
  function carryOut(work: () => Promise<unknown>, words: string): void {
    void act(async () => {
      await work()
      showToast(words)
      onChanged()
    })
  }

  const replay = (delivery: string): void =>
    carryOut(() => webhooks.replay(id, delivery), "Sent again.")
  return (
    <>
      <PageHead title="Webhook" above={<a href={toHref(["webhooks"])}>All webhooks</a>}>
        <Button onPress={() => carryOut(() => webhooks.test(id), "A test is on its way.")}>
          Send a test
        </Button>
        <Button
          onPress={() =>
            carryOut(
              () => webhooks.update(id, { enabled: !enabled }),
              enabled ? "Switched off." : "Switched on.",
            )
          }
        >
          {enabled ? "Switch off" : "Switch on"}
        </Button>
        <DeleteButton id={id} />
      </PageHead>
      <p>
        <bdi>{webhook.url}</bdi>
        <br />
        <span class="soft small">
          {toCondition(webhook)} · {webhook.events.join(", ")}
        </span>
      </p>
      <Deliveries deliveries={deliveries} onReplay={replay} onReload={onChanged} />
    </>
  )
}

function DeleteButton({ id }: { readonly id: string }): JSX.Element {
  const { webhooks } = useClient()
  const isAsking = useSignal(false)
  const { act } = useAct()

  async function remove(): Promise<void> {
    await webhooks.delete(id)
    showToast("Deleted.")
    goTo(toHref(["webhooks"]))
  }

  return (
    <>
      <Button onPress={() => (isAsking.value = true)}>Delete</Button>
      {isAsking.value && (
        <Dialog title="Delete this webhook?" onClose={() => (isAsking.value = false)}>
          <p>Nothing more is sent to it, and its deliveries are no longer shown.</p>
          <div class="line">
            <Button look="main" onPress={() => void act(remove)}>
              Delete it
            </Button>
            <Button onPress={() => (isAsking.value = false)}>Keep it</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
