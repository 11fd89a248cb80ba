/**
 * The account's webhooks. Reads are repeated as long as their errors are retryable, and so is what may be done
 * twice; making a webhook and replacing a secret are sent once, since their answers are shown once. The API key
 * needs the scope `webhooks:write`.
 */
import type {
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "../api/answers.ts"
import {
  isDeliveryDetail,
  isDeliveryList,
  isReplay,
  isWebhook,
  isWebhookList,
  isWebhookWithSecret,
} from "../api/check-answers.ts"
import { toDeliveryPath, toWebhookPath, WEBHOOKS_PATH, withQuery } from "../api/paths.ts"
import type { Connection, Check } from "../connection/connection.ts"
import type { ApiRequest } from "../connection/send-request.ts"
import type { CallOptions } from "../tasks/list-tasks.ts"

export interface NewWebhookEndpoint {
  readonly url: string
  /** What is sent: that a task succeeded or failed, by default. */
  readonly events?: WebhookEndpoint["events"] | undefined
  readonly description?: string | undefined
}

export interface WebhookEndpointChange extends Omit<NewWebhookEndpoint, "url"> {
  readonly url?: string | undefined
  readonly enabled?: boolean | undefined
}

export interface RotateOptions extends CallOptions {
  /** For how long messages are signed with the old secret too; a day by default. */
  readonly overlapSeconds?: number | undefined
}

export interface DeliveryQuery {
  readonly status?: "pending" | "delivered" | "failed" | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface ReplayOptions extends CallOptions {
  /** Unix seconds: what was made then or later; everything by default. */
  readonly since?: number | undefined
}

export interface WebhookCalls {
  /** The answer alone has the `secret`: store it. */
  create(webhook: NewWebhookEndpoint, options?: CallOptions): Promise<WebhookEndpointWithSecret>
  list(options?: CallOptions): Promise<readonly WebhookEndpoint[]>
  get(id: string, options?: CallOptions): Promise<WebhookEndpoint>
  update(id: string, change: WebhookEndpointChange, options?: CallOptions): Promise<WebhookEndpoint>
  delete(id: string, options?: CallOptions): Promise<void>
  /** Replaces the secret. The answer alone has the new one. */
  rotate(id: string, options?: RotateOptions): Promise<WebhookEndpointWithSecret>
  /** Sends a message of type `webhook.test`. */
  test(id: string, options?: CallOptions): Promise<WebhookDeliveryDetail>
  /** One page of what was sent, newest first. */
  deliveries(id: string, query?: DeliveryQuery, options?: CallOptions): Promise<WebhookDeliveryList>
  delivery(id: string, delivery: string, options?: CallOptions): Promise<WebhookDeliveryDetail>
  /** Sends one delivery again. */
  replay(id: string, delivery: string, options?: CallOptions): Promise<WebhookDeliveryDetail>
  /** Sends every failed delivery again; resolves to how many. */
  replayFailed(id: string, options?: ReplayOptions): Promise<number>
}

export function createWebhookCalls(connection: Connection): WebhookCalls {
  const once = async <Value>(request: ApiRequest, check: Check<Value>): Promise<Value> =>
    (await connection.ask(request, check)).value
  const repeat = <Value>(request: ApiRequest, check: Check<Value>): Promise<Value> =>
    connection.retry(() => once(request, check), { signal: request.signal })

  return {
    create: (webhook, { signal } = {}) =>
      once(
        { method: "POST", path: WEBHOOKS_PATH, ...toJson(webhook), signal },
        isWebhookWithSecret,
      ),
    async list({ signal } = {}) {
      return (await connection.read(WEBHOOKS_PATH, isWebhookList, { signal })).webhooks
    },
    get: (id, { signal } = {}) => connection.read(toWebhookPath(id), isWebhook, { signal }),
    update: (id, change, { signal } = {}) =>
      repeat({ method: "PATCH", path: toWebhookPath(id), ...toJson(change), signal }, isWebhook),
    async delete(id, { signal } = {}) {
      const answer = await connection.open({ method: "DELETE", path: toWebhookPath(id), signal })
      answer.cancel()
    },
    rotate(id, { overlapSeconds, signal } = {}) {
      const query = { overlap_seconds: overlapSeconds }
      const path = withQuery(`${toWebhookPath(id)}/rotate`, query)
      return once({ method: "POST", path, signal }, isWebhookWithSecret)
    },
    test: (id, { signal } = {}) =>
      once({ method: "POST", path: `${toWebhookPath(id)}/test`, signal }, isDeliveryDetail),
    deliveries(id, { status, limit, cursor } = {}, { signal } = {}) {
      const path = withQuery(`${toWebhookPath(id)}/deliveries`, { status, limit, cursor })
      return connection.read(path, isDeliveryList, { signal })
    },
    delivery: (id, delivery, { signal } = {}) =>
      connection.read(toDeliveryPath(id, delivery), isDeliveryDetail, { signal }),
    replay(id, delivery, { signal } = {}) {
      const path = `${toDeliveryPath(id, delivery)}/replay`
      return repeat({ method: "POST", path, signal }, isDeliveryDetail)
    },
    async replayFailed(id, { since, signal } = {}) {
      const path = withQuery(`${toWebhookPath(id)}/replay`, { since })
      return (await repeat({ method: "POST", path, signal }, isReplay)).replayed
    },
  }
}

function toJson(body: object): Pick<ApiRequest, "body" | "headers"> {
  return { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
}
