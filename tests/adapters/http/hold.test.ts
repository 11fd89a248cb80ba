/** `POST /v1/tasks/{task_id}/hold`: what is asked of the service, what is answered, and every refusal. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { HoldRefusal } from "@safelight/core"
import { putArtifact, taskId } from "./fake-service.ts"
import { createWorld, WORLDS, type World } from "./worlds.ts"

const UNTIL = 1_800_000_000
const POST = { method: "POST" }

for (const kind of WORLDS) {
  describe(`a hold, ${kind}`, () => {
    it("is asked of the service by its moment, and answers the artifacts as they are listed", async () => {
      await using world = await open(kind)
      const { id } = putArtifact(world.fake, new Uint8Array(10))
      const response = await world.call(`/v1/tasks/${id}/hold?until=${UNTIL}`, POST)
      assert.equal(response.status, 200)
      const listed = await world.call(`/v1/tasks/${id}/artifacts`)
      assert.equal(await response.text(), await listed.text())
      assert.deepEqual(world.fake.held, [{ account: "account-a", id, until: UNTIL * 1_000 }])
    })

    const refusals: readonly (readonly [HoldRefusal, string])[] = [
      [{ code: "not-finished" }, "409 task_not_finished"],
      [{ code: "failed" }, "409 task_failed"],
      [{ code: "expired" }, "410 artifact_expired"],
      [{ code: "not-allowed" }, "403 hold_not_allowed"],
      [{ code: "too-long", latestAt: 5_999 }, "400 integer_above_max_value"],
    ]
    for (const [refusal, expected] of refusals) {
      it(`that is ${refusal.code} is ${expected}`, async () => {
        await using world = await open(kind)
        const { id } = putArtifact(world.fake, new Uint8Array(10))
        world.fake.refuseHold(refusal)
        const response = await world.call(`/v1/tasks/${id}/hold?until=${UNTIL}`, POST)
        assert.equal(await readCode(response.clone()), expected)
        const { error } = (await response.json()) as { error: { message: string; param?: string } }
        if (refusal.code !== "too-long") return
        assert.equal(error.param, "until")
        assert.match(error.message, /at most 5 /)
      })
    }
  })
}

describe("a hold", () => {
  it("says when, in the query and nowhere else", async () => {
    await using world = await open()
    const { id } = putArtifact(world.fake, new Uint8Array(10))
    const path = `/v1/tasks/${id}/hold`
    for (const [query, code] of [
      ["", "400 missing_required_parameter"],
      ["?until=", "400 invalid_type"],
      ["?until=-1", "400 integer_below_min_value"],
      ["?until=1&until=2", "400 unknown_parameter"],
    ] as const) {
      assert.equal(await readCode(await world.call(`${path}${query}`, POST)), code)
    }
    const sent = await world.call(`${path}?until=${UNTIL}`, { ...POST, body: '{"until":1}' })
    assert.equal(await readCode(sent), "400 unknown_parameter")
    assert.deepEqual(world.fake.held, [])
  })

  it("of another account's task, or of none, is as unknown as the task; and needs both scopes", async () => {
    await using world = await open()
    const { id } = putArtifact(world.fake, new Uint8Array(10))
    const path = `/v1/tasks/${id}/hold?until=${UNTIL}`
    const other = `Bearer ${world.keys.add({ account: "account-b" })}`
    const foreign = await world.bare(path, { ...POST, headers: { authorization: other } })
    const unknown = await world.call(path.replace(id, taskId(404)), POST)
    assert.equal(await foreign.text(), await unknown.text())
    for (const scopes of [["tasks:write"], ["artifacts:read", "tasks:read"]] as const) {
      const authorization = `Bearer ${world.keys.add({ scopes: [...scopes] })}`
      const response = await world.bare(path, { ...POST, headers: { authorization } })
      assert.equal(await readCode(response), "403 insufficient_scope")
    }
    assert.deepEqual(world.fake.held, [])
  })
})

async function open(kind: (typeof WORLDS)[number] = "in process") {
  const world = await createWorld(kind)
  return { ...world, [Symbol.asyncDispose]: world.close } satisfies World & AsyncDisposable
}

async function readCode(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } }
  return `${response.status} ${error.code}`
}
