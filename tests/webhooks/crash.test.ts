/**
 * Processes that die at every step between an event and the record of its delivery, with the receiver as the
 * second ledger: each finished task is told at least once, in order, and every signature is right. A process
 * dies when a step of its storage or its sender never comes back, before it was done or after it.
 */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { verifyWebhook } from "@safelight/client"
import type { MessageSender, SendOutcome } from "@safelight/core"
import { dispatchSample } from "@safelight/testkit"
import { createWebhooks, type Webhooks } from "@safelight/webhooks"
import { ACCEPT, createWorld, FINISH, URL_A } from "./webhook-world.ts"

const STEPS = ["readFeed", "fanOut", "takeDeliveries", "send", "recordTries"] as const
const DEATHS = ["before", "after"] as const
const NEVER = new Promise<never>(() => {})

describe("a process that dies", () => {
  for (const step of STEPS) {
    for (const death of DEATHS) {
      test(`${death} ${step} loses no message`, async (t) => {
        const world = createWorld(t)
        const made = await world.webhooks.createWebhook({
          account: "account",
          url: URL_A,
          types: ["task.submitted", "task.dispatched", "task.succeeded"],
        })
        assert.equal(made.kind, "done")
        let calls = 0
        /** The second call of the step, and everything after it, never comes back. */
        function dying<Given extends readonly unknown[], Result>(
          name: (typeof STEPS)[number],
          call: (...given: Given) => Promise<Result>,
        ): (...given: Given) => Promise<Result> {
          return async (...given) => {
            if (calls >= 2) return NEVER
            if (name === step) calls += 1
            if (calls < 2) return call(...given)
            if (death === "after") await call(...given)
            return NEVER
          }
        }
        const { storage } = world
        const sender: MessageSender = {
          check: () => undefined,
          send: dying("send", async (request): Promise<SendOutcome> => {
            world.note(request)
            return { kind: "answered", status: 200, body: "" }
          }),
          close: async () => {},
        }
        const mortal: Webhooks = createWebhooks({
          ...world.parts,
          sender,
          storage: {
            ...storage,
            readFeed: dying("readFeed", storage.readFeed),
            fanOut: dying("fanOut", storage.fanOut),
            takeDeliveries: dying("takeDeliveries", storage.takeDeliveries),
            recordTries: dying("recordTries", storage.recordTries),
          },
        })
        mortal.start()
        await world.change("t", [dispatchSample(), ACCEPT])
        await world.clock.advance(2_000)
        await world.change("t", FINISH.slice(2))
        await world.change("u", FINISH)
        await world.clock.advance(2_000)
        assert.ok(calls >= 2, "it died")
        world.webhooks.start()
        await world.clock.advance(200_000)
        const told = (task: string): string[] => {
          const ids = world.sent.map(({ id }) => id).filter((id) => id.startsWith(`msg_${task}_`))
          return ids.filter((id, index) => ids.indexOf(id) === index)
        }
        assert.deepEqual(told("t"), [
          world.messageOf("t", 1),
          world.messageOf("t", 2),
          world.messageOf("t", 4),
        ])
        assert.deepEqual(told("u"), [
          world.messageOf("u", 1),
          world.messageOf("u", 2),
          world.messageOf("u", 4),
        ])
        for (const { headers, body, at } of world.sent) {
          await verifyWebhook({ headers, body, secret: made.secret, now: at })
        }
        assert.ok(
          world.sent.length <= 8,
          "no more than what the dead one had in hand is told twice",
        )
      })
    }
  }
})
