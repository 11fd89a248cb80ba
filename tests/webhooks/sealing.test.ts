/** Signing secrets as they are stored: sealed for one endpoint, with a key of the database's own. */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { verifyWebhook } from "@safelight/client"
import type { WebhookName } from "@safelight/core"
import { createWorld, FINISH, type WebhookWorld, startWorld, URL_A } from "./webhook-world.ts"

const CLEAR = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

async function create({
  webhooks,
}: WebhookWorld): Promise<{ readonly name: WebhookName; readonly secret: string }> {
  const made = await webhooks.createWebhook({ account: "account", url: URL_A })
  assert.equal(made.kind, "done")
  return { name: { account: "account", id: made.webhook.id }, secret: made.secret }
}

async function readStored({ storage }: WebhookWorld, name: WebhookName): Promise<string> {
  return JSON.stringify(await storage.findWebhook(name))
}

/** Puts these secrets in place, as another process would. */
async function putSecrets(
  { storage }: WebhookWorld,
  name: WebhookName,
  secrets: readonly string[],
): Promise<void> {
  const found = (await storage.findWebhook(name)) ?? assert.fail()
  const put = secrets.map((secret) => ({ secret, expiresAt: 0 }))
  const changed = { ...found, secrets: put, revision: found.revision + 1 }
  assert.equal(await storage.updateWebhook(changed), true)
}

async function verifyLast({ sent }: WebhookWorld, secret: string): Promise<void> {
  const { at: now, body, headers } = sent.at(-1) ?? assert.fail("nothing was sent")
  await verifyWebhook({ headers, body, secret, now })
}

describe("a signing secret", () => {
  test("is never stored in clear, and signs at every process and after an adoption", async (t) => {
    const world = createWorld(t)
    const { name, secret } = await create(world)
    const rotated = await world.webhooks.rotateWebhook({ ...name, overlapMs: 60_000 })
    assert.equal(rotated.kind, "done")
    const stored = await readStored(world, name)
    for (const each of [secret, rotated.secret]) {
      assert.ok(!stored.includes(each.slice("whsec_".length)))
    }
    assert.ok(!stored.includes("whsec_"))
    const adoption = { revision: 0, artifactsMark: null, adoptedAt: 5 }
    assert.equal(await world.storage.recordDeployment(adoption), true)
    world.createNode().start()
    await world.change("t", FINISH)
    await world.clock.advance(0)
    await verifyLast(world, secret)
    await verifyLast(world, rotated.secret)
  })

  test("that stands in clear signs as before, and is sealed with the next change or sweep", async (t) => {
    const world = startWorld(t)
    const changed = await create(world)
    await putSecrets(world, changed.name, [CLEAR])
    await world.change("t", FINISH)
    await world.clock.advance(1_000)
    await verifyLast(world, CLEAR)
    await world.webhooks.updateWebhook({ ...changed.name, description: "ours" })
    assert.ok(!(await readStored(world, changed.name)).includes("whsec_"))
    const swept = await create(world)
    await putSecrets(world, swept.name, [CLEAR])
    await world.webhooks.deleteWebhook(changed.name)
    await world.webhooks.sweep()
    assert.ok(!(await readStored(world, swept.name)).includes("whsec_"))
    await world.change("u", FINISH)
    await world.clock.advance(1_000)
    await verifyLast(world, CLEAR)
    const before = await readStored(world, swept.name)
    await world.webhooks.sweep()
    assert.equal(await readStored(world, swept.name), before, "once is enough")
  })

  test("that can't be opened disables its endpoint with a line, until it is rotated", async (t) => {
    const world = createWorld(t)
    const { name, secret } = await create(world)
    const lost = createLost(world)
    lost.start()
    await world.change("t", FINISH)
    await world.clock.advance(1_000)
    assert.deepEqual(world.sent, [], "nothing is sent that a receiver can't verify")
    assert.equal((await lost.findWebhook(name))?.disabledReason, "secret-lost")
    assert.deepEqual(
      (await world.deliveries(name.id)).map(({ state }) => state),
      ["failed"],
    )
    const line = world.lines.find(({ message }) => message === "webhook disabled")
    assert.equal(line?.fields["reason"], "secret-lost")
    assert.ok(!JSON.stringify(world.lines).includes(secret))

    const rotated = await lost.rotateWebhook({ ...name, overlapMs: 60_000 })
    assert.equal(rotated.kind, "done")
    await lost.updateWebhook({ ...name, isEnabled: true })
    const replayed = await lost.replayFailed({ ...name, since: 0 })
    assert.deepEqual(replayed, { kind: "done", replayed: 1 })
    await world.clock.advance(1_000)
    await verifyLast(world, rotated.secret)
    await assert.rejects(verifyLast(world, secret), { code: "invalid_webhook" })
    assert.equal((await lost.findWebhook(name))?.disabledAt, 0)
  })

  test("opens for its own endpoint alone, and not if it was damaged", async (t) => {
    const world = startWorld(t)
    const other = await create(world)
    const [sealed] = (await world.storage.findWebhook(other.name))?.secrets ?? assert.fail()
    assert.ok(sealed)
    for (const [index, text] of [sealed.secret, "sealed:1:", `${sealed.secret}AAAA`].entries()) {
      const { name } = await create(world)
      await putSecrets(world, name, [text])
      await world.change(`t${index}`, FINISH)
      await world.clock.advance(1_000)
      assert.equal((await world.webhooks.findWebhook(name))?.disabledReason, "secret-lost")
    }
    assert.equal(world.sent.length, 3, "the other endpoint got its own")
    await verifyLast(world, other.secret)
  })
})

/** A process on the same rows, whose database has lost what they are sealed with. */
function createLost({ createNode, storage }: WebhookWorld): WebhookWorld["webhooks"] {
  storage.agreeOnSealingSecret = async () => "00".repeat(32)
  return createNode()
}
