/** A call for every answer that private links bring: making, revoking and using them. */
import { outside, putArtifact, taskId, toTask } from "./fake-service.ts"
import { forge, KEY, START } from "./link-world.ts"
import type { DescribedCall } from "./every-call.ts"
import type { Call, World } from "./worlds.ts"

/** It has no GET. */
export const LINKS = "/v1/tasks/{task_id}/artifacts/{artifact_key}/links"
const ONE = "/artifacts/{artifact_key}"
const CONTENT = LINKS.replace("links", "content")
const FAILURES = [new Error("a bug"), outside("storage-unavailable"), outside("overloaded")]

/** An account whose rate for content is used up by the first download. */
const BUSY = "account-busy"

/**
 * `keys` are Authorization headers, one for each way to be turned away; `authorization` is that of
 * all other calls, where it is not the world's own key.
 */
export function toLinkedCalls(
  world: World,
  keys: readonly string[],
  authorization?: string,
): DescribedCall[] {
  const own = authorization === undefined ? {} : { authorization }
  const calls: DescribedCall[] = []
  function add(path: string, target: string, call: Call, failure?: unknown): void {
    async function send(): Promise<Response> {
      await world.storage.addLinkKey(KEY)
      world.fake.fail(failure)
      const response = await world.call(target, { ...call, headers: { ...own, ...call.headers } })
      world.fake.fail(undefined)
      return response
    }
    calls.push({ path, method: call.method ?? "GET", send })
  }
  useLinks(world, add)
  for (const method of ["POST", "DELETE"]) askForLinks(world, keys, method, add)
  askForLinks(world, keys, "POST", (path, target, ...rest) => {
    add(path.replace(ONE, ""), target.replace(/\/artifacts\/image_\d/, ""), ...rest)
  })
  return calls
}

type Add = (path: string, target: string, call: Call, failure?: unknown) => void

function useLinks({ fake, accounts }: World, add: Add): void {
  const { id } = putArtifact(fake, new Uint8Array(1_000), { id: taskId(21) })
  putArtifact(fake, new Uint8Array(1), { id: taskId(22), account: BUSY })
  const rates = { create: null, read: null, content: { requests: 1, windowMs: 3_600_000 } }
  accounts.set({ rates }, BUSY)
  const exp = START + 3_600
  const good = toContent(id, forge({ task: id, exp }))
  const busy = toContent(taskId(22), forge({ task: taskId(22), account: BUSY, exp }))
  for (const method of ["GET", "HEAD"]) {
    for (const target of [good, toContent(id, "v1"), busy, busy]) add(CONTENT, target, { method })
    for (const [name, value] of [
      ["if-match", '"other"'],
      ["if-none-match", "*"],
      ["range", "bytes=0-9"],
      ["range", "bytes=2000-"],
    ] as const) {
      add(CONTENT, good, { method, headers: { [name]: value } })
    }
    for (const failure of FAILURES) add(CONTENT, good, { method }, failure)
  }
}

function toContent(task: string, token: string): string {
  return `/v1/tasks/${task}/artifacts/image_1/content?access=${token}`
}

function askForLinks({ fake }: World, keys: readonly string[], method: string, add: Add): void {
  const { id } = putArtifact(fake, new Uint8Array(1), { id: taskId(23) })
  const expired = putArtifact(fake, new Uint8Array(1), { id: taskId(24), expiresAt: 1 })
  const queued = fake.put(toTask(taskId(25)))
  const target = `/v1/tasks/${id}/artifacts/image_1/links`
  for (const authorization of keys) add(LINKS, target, { method, headers: { authorization } })
  for (const failure of FAILURES) add(LINKS, target, { method }, failure)
  for (const other of [id, expired.id, queued.id, taskId(404)]) {
    add(LINKS, target.replace(id, other), { method })
  }
  add(LINKS, target.replace("image_1", "image_9"), { method })
  for (const seconds of ["0", "604801", "x", "1&expires_in=1"]) {
    add(LINKS, `${target}?expires_in=${seconds}`, { method })
  }
  add(LINKS, `${target}?${"x".repeat(8_192)}`, { method })
}
