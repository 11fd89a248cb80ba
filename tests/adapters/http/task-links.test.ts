/** Private links to all artifacts of a task by one request. One to a single artifact is tested in artifact-links.test.ts. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { putArtifact, taskId, toTask } from "./fake-service.ts"
import {
  assertNothing,
  assertOpens,
  BYTES,
  DAY,
  LINKS as ONE_LINKS,
  openLinkWorld,
  readAnswer,
  START,
  TASK,
  toPath,
  type LinkWorld,
} from "./link-world.ts"
import { WORLDS, type Call } from "./worlds.ts"

const LINKS = `${TASK}/links`
const POST: Call = { method: "POST" }

interface Linked {
  readonly key: string
  readonly url: string
  readonly expires_at: number
}

async function makeLinks(world: LinkWorld, query = ""): Promise<readonly Linked[]> {
  const { status, body } = await readAnswer(world.call(`${LINKS}${query}`, POST))
  assert.equal(status, 201, body)
  const { links } = JSON.parse(body) as { readonly links: readonly Linked[] }
  return links
}

async function readCode(asked: Promise<Response>): Promise<string> {
  const { status, body } = await readAnswer(asked)
  const { error } = JSON.parse(body) as { error: { code: string } }
  return `${status} ${error.code}`
}

/** The task has a second image, which lives until then. */
function addImage(world: LinkWorld, expiresAt: number): void {
  const task = putArtifact(world.fake, BYTES, { expiresAt: (START + 3 * DAY) * 1_000 })
  const [first] = task.artifacts
  assert.ok(first)
  const second = { ...first, key: "image_2", mimeType: "image/webp", expiresAt }
  world.fake.put({ ...task, artifacts: [first, second] })
}

for (const kind of WORLDS) {
  describe(`links to all artifacts of a task, ${kind}`, () => {
    it("are in the order of the artifacts, and each opens its own", async () => {
      await using world = await openLinkWorld(kind)
      addImage(world, (START + 60) * 1_000)
      const answer = await readAnswer(world.call(LINKS, POST))
      const { links, task_id } = JSON.parse(answer.body) as { links: Linked[]; task_id: string }
      assert.deepEqual([answer.status, task_id], [201, taskId(1)])
      assert.deepEqual(
        links.map(({ url: _url, ...rest }) => rest),
        [
          { key: "image_1", type: "image", mime_type: "image/png", expires_at: START + DAY },
          { key: "image_2", type: "image", mime_type: "image/webp", expires_at: START + 60 },
        ],
      )
      for (const { key, url } of links) {
        assert.match(url, new RegExp(`${TASK}/artifacts/${key}/content\\?access=v1\\.`))
        await assertOpens(world, toPath(url))
      }
    })

    it("end when they are told to, and with a revocation of their artifact", async () => {
      await using world = await openLinkWorld(kind)
      addImage(world, (START + 3 * DAY) * 1_000)
      const [first, second] = await makeLinks(world, "?expires_in=90")
      assert.ok(first && second)
      assert.deepEqual([first.expires_at, second.expires_at], [START + 90, START + 90])
      await world.call(ONE_LINKS, { method: "DELETE" })
      await assertNothing(world, toPath(first.url))
      await assertOpens(world, toPath(second.url))
      await world.clock.advance(90_000)
      await assertNothing(world, toPath(second.url))
    })

    it("are none where one artifact has expired", async () => {
      await using world = await openLinkWorld(kind)
      addImage(world, START * 1_000)
      assert.equal(await readCode(world.call(LINKS, POST)), "410 artifact_expired")
    })

    it("are for the account's own finished tasks; a failed one has none", async () => {
      await using world = await openLinkWorld(kind)
      putArtifact(world.fake, BYTES, { id: taskId(2), account: "account-b" })
      world.fake.put(toTask(taskId(3), { state: "running" }))
      for (const [id, code] of [
        [taskId(2), "404 task_not_found"],
        [taskId(404), "404 task_not_found"],
        ["x", "404 task_not_found"],
        [taskId(3), "409 task_not_finished"],
      ] as const) {
        assert.equal(await readCode(world.call(LINKS.replace(taskId(1), id), POST)), code)
      }
      world.fake.put(toTask(taskId(1), { state: "failed" }))
      assert.deepEqual(await makeLinks(world), [])
    })

    it("need a key with both scopes, and count once against the rate for reads", async () => {
      await using world = await openLinkWorld(kind)
      assert.equal(await readCode(world.bare(LINKS, POST)), "401 missing_api_key")
      for (const scope of ["links:write", "artifacts:read"] as const) {
        const headers = { authorization: `Bearer ${world.keys.add({ scopes: [scope] })}` }
        const refused = readCode(world.bare(LINKS, { ...POST, headers }))
        assert.equal(await refused, "403 insufficient_scope")
      }
      addImage(world, (START + 3 * DAY) * 1_000)
      const read = { requests: 1, windowMs: 60_000 }
      world.accounts.set({ rates: { create: null, read, content: null } })
      assert.equal((await makeLinks(world)).length, 2)
      assert.equal(await readCode(world.call(LINKS, POST)), "429 rate_limit_exceeded")
    })
  })
}
