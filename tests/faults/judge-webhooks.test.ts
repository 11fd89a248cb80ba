/** The oracle's rules for webhooks: what a kept promise looks like, and each broken one, all of it invented. */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { describe, it } from "node:test"
import type { Delivery, WebhookEndpoint } from "@safelight/core"
import type { ToldWebhook } from "./audience.ts"
import { judgeWebhooks, type StoredWebhook } from "./judge-webhooks.ts"
import { NO_FAULTS, type RoundFaults } from "./round-faults.ts"
import type { ToldEvent } from "./told-events.ts"
import type { ReceivedMessage } from "./webhook-receiver.ts"

const ACCOUNT = "acme"
const TASK = "task-1"
const PATH = "/acme/everything"
const KEY = Buffer.from("a secret that no service has made")
const SECRET = `whsec_${KEY.toString("base64")}`
/** Any moment long after the round began. */
const AT = 1_000_000
const DAY_MS = 86_400_000

const LOG = (["task.submitted", "task.succeeded"] as const).map((type, index): ToldEvent => {
  const version = index + 1
  const text = JSON.stringify({ type, version })
  return { account: ACCOUNT, task: TASK, version, type, text, isEnded: version === 2 }
})
const [FIRST, LAST] = LOG as [ToldEvent, ToldEvent]

function toMessage(
  id: string,
  body: string,
  changed: Partial<ReceivedMessage> = {},
): ReceivedMessage {
  const timestamp = "1000"
  const signature = createHmac("sha256", KEY).update(`${id}.${timestamp}.${body}`).digest("base64")
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  }
  return { path: PATH, headers, body, at: AT, takenAt: AT, ...changed }
}

type Try = Delivery["history"][number]

function toTry(at: number, status: number | null): Try {
  return { at, durationMs: 1, status, failure: status === null ? "timed-out" : null, answer: "" }
}

function toDelivery(event: ToldEvent, changed: Partial<Delivery> = {}): Delivery {
  return {
    endpoint: "endpoint-1",
    message: String(event.version),
    type: event.type,
    subject: TASK,
    sequence: event.version,
    payload: event.text,
    createdAt: AT,
    dueAt: 0,
    state: "delivered",
    tries: 1,
    history: [toTry(AT, 204)],
    ...changed,
  }
}

const ENDPOINT: WebhookEndpoint = {
  account: ACCOUNT,
  id: "endpoint-1",
  createdAt: AT,
  url: `http://127.0.0.1${PATH}`,
  description: "",
  types: ["task.submitted", "task.succeeded"],
  secrets: [{ secret: SECRET, expiresAt: 0 }],
  disabledAt: 0,
  disabledReason: null,
  failingSince: 0,
  provenAt: AT,
  revision: 1,
}

interface Scene {
  readonly received?: readonly ReceivedMessage[]
  readonly deliveries?: readonly Delivery[]
  readonly endpoint?: Partial<WebhookEndpoint>
  readonly faults?: RoundFaults
}

const RECEIVED = [
  toMessage("1", FIRST.text),
  toMessage("2", LAST.text, { at: AT + 1, takenAt: AT + 1 }),
]
const DELIVERIES = [toDelivery(FIRST), toDelivery(LAST)]

async function toBroken({
  deliveries = DELIVERIES,
  endpoint = {},
  faults = NO_FAULTS,
  received = RECEIVED,
}: Scene = {}): Promise<readonly string[]> {
  const broken: string[] = []
  const stored: StoredWebhook = { endpoint: { ...ENDPOINT, ...endpoint }, deliveries }
  const webhook: ToldWebhook = {
    id: ENDPOINT.id,
    path: PATH,
    secret: SECRET,
    types: ENDPOINT.types,
    received,
  }
  const fail = (words: string): void => void broken.push(words)
  const told = new Map([[TASK, LOG]])
  await judgeWebhooks({ faults, fail, told, stored: new Map([[ENDPOINT.id, stored]]) }, [webhook])
  return broken
}

async function assertNamed(scene: Scene, pattern: RegExp): Promise<void> {
  const broken = await toBroken(scene)
  assert.ok(
    broken.some((words) => pattern.test(words)),
    `${String(pattern)} is not among: ${broken.join("; ")}`,
  )
}

describe("the oracle, of webhooks,", () => {
  it("finds nothing where every message was taken, once or again", async () => {
    assert.deepEqual(await toBroken(), [])
    assert.deepEqual(await toBroken({ received: [...RECEIVED, ...RECEIVED] }), [])
  })

  it("names an event that has no delivery, two, or one that is still to come", async () => {
    const [first, last] = DELIVERIES as [Delivery, Delivery]
    await assertNamed({ deliveries: [first] }, /\(task.succeeded\) of task-1 has no delivery/)
    await assertNamed({ deliveries: [first, last, last] }, /has two deliveries of .*task.succeeded/)
    const pending = toDelivery(LAST, { state: "pending" })
    await assertNamed({ deliveries: [first, pending] }, /is still to be delivered/)
  })

  it("names one that is called delivered though nobody took it", async () => {
    const lost = toMessage("2", LAST.text, { at: AT + 1, takenAt: Infinity })
    const received = [toMessage("1", FIRST.text), lost]
    await assertNamed({ received }, /is called delivered, and nobody took it/)
  })

  it("names one that was given up early, or tried again too soon", async () => {
    const tries = [toTry(AT, 500), toTry(AT + 1_000, 500)]
    const given = toDelivery(LAST, { state: "failed", tries: 2, history: tries })
    const deliveries = [toDelivery(FIRST), given]
    await assertNamed({ deliveries }, /was given up after 2 tries/)
    await assertNamed({ deliveries }, /was tried for the 2th time 1000 ms after the last/)
    const taken = [toDelivery(FIRST), toDelivery(LAST, { tries: 2, history: tries })]
    const faults = { ...NO_FAULTS, forgotten: [{ from: AT + 500, to: AT + 600 }] }
    assert.deepEqual(await toBroken({ deliveries: taken, faults }), [])
  })

  it("names an endpoint that was disabled by the first failed try of a message", async () => {
    const failed = (ageMs: number): Scene => ({
      deliveries: [
        toDelivery(FIRST),
        toDelivery(LAST, {
          state: "failed",
          tries: 2,
          history: [toTry(AT, 500), toTry(AT + ageMs, 500)],
        }),
      ],
      endpoint: { disabledAt: AT + ageMs, disabledReason: "failing" },
    })
    await assertNamed(failed(10_000), /was disabled as failing, which it was not/)
    assert.deepEqual(await toBroken(failed(DAY_MS + 1)), [])
    const gone = { disabledAt: AT + 1, disabledReason: "gone" } as const
    await assertNamed({ endpoint: gone }, /was disabled as gone, which it was not/)
  })

  it("names an id of two events, and an event of two ids", async () => {
    const one = toMessage("1", FIRST.text)
    await assertNamed({ received: [one, toMessage("1", LAST.text)] }, /id 1 names two events/)
    const again = toMessage("3", FIRST.text)
    await assertNamed({ received: [...RECEIVED, again] }, /came as 1 and as 3/)
  })

  it("names an id of two events though one of them is forgotten", async () => {
    const faults = { ...NO_FAULTS, forgotten: [{ from: AT - 10, to: AT + 10 }] }
    const forgotten = toMessage("2", JSON.stringify({ type: "task.succeeded", version: 9 }))
    await assertNamed({ faults, received: [forgotten, ...RECEIVED] }, /id 2 names two events/)
  })

  it("names a message that can't be verified, or wasn't chosen", async () => {
    const changed = { ...toMessage("1", FIRST.text), body: LAST.text }
    await assertNamed({ received: [...RECEIVED, changed] }, /can't be verified/)
    const unwanted = toMessage("9", JSON.stringify({ type: "task.expired" }))
    await assertNamed({ received: [...RECEIVED, unwanted] }, /did not choose task.expired/)
  })

  it("names a message about what the log doesn't have, unless it is forgotten", async () => {
    const unknown = toMessage("9", JSON.stringify({ type: "task.succeeded", version: 9 }))
    const received = [...RECEIVED, unknown]
    await assertNamed({ received }, /which the log hasn't/)
    const faults = { ...NO_FAULTS, forgotten: [{ from: AT - 10, to: AT + 10 }] }
    assert.deepEqual(await toBroken({ received, faults }), [])
  })

  it("names a message that came before an earlier one of its task was taken", async () => {
    const late = toMessage("1", FIRST.text, { takenAt: AT + 5 })
    const early = toMessage("2", LAST.text, { at: AT + 1, takenAt: AT + 1 })
    await assertNamed({ received: [late, early] }, /was told version 2 .* before it took version 1/)
    await assertNamed({ received: [early, late] }, /was told version 2 .* before it took version 1/)
  })
})
