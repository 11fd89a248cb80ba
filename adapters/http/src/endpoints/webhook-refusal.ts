/** What the service refuses about webhooks, as the API's codes; each endpoint declares those that it may meet. */
import type { WebhookRejection } from "@safelight/core"
import { POLL_HEADERS } from "./find-task.ts"
import { refuseParameters, toRefuse, type Refusal } from "../errors/refusal.ts"

const refuse = toRefuse([
  "webhook_not_found",
  "webhook_disabled",
  "webhook_limit_exceeded",
  "concurrency_limit_exceeded",
  "url_not_allowed",
])

export function toWebhookRefusal(rejection: WebhookRejection): Refusal {
  switch (rejection.kind) {
    case "unknown":
      return refuse("webhook_not_found")
    case "disabled":
      return refuse("webhook_disabled")
    case "too-many": {
      const message = `The account has ${rejection.most} webhooks already, as many as it may.`
      return refuse("webhook_limit_exceeded", { message })
    }
    case "too-many-waiting": {
      const message = `${rejection.most} messages wait for the webhook already, as many as may.`
      return refuse("concurrency_limit_exceeded", { message, headers: POLL_HEADERS })
    }
    case "url-not-allowed": {
      const message = "url must be a public http or https URL without credentials."
      return refuseParameters(refuse, [{ param: "url", code: "url_not_allowed", message }])
    }
  }
}
