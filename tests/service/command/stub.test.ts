/** `safelight stub NAME`: a provider to develop against, on this machine, without an account. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { runCommand, startCommand, temporaryFolder } from "./command-process.ts"

test("a stub says where it listens, what was bought, and ends when it is asked to", async (t) => {
  const folder = await temporaryFolder(t)
  const running = startCommand(["stub", "fal"], { folder })
  const [, url = ""] = await running.printed(/^listening on (http:\/\/127\.0\.0\.1:\d+)$/m)
  const endpoint = "recraft/v4.1/flash/text-to-image"
  const answer = await fetch(`${url}/${endpoint}`, {
    method: "POST",
    headers: { authorization: "Key any", "content-type": "application/json" },
    body: JSON.stringify({ prompt: "fog" }),
  })
  const { request_id: id } = (await answer.json()) as { readonly request_id: string }
  await running.printed(new RegExp(`^bought ${endpoint}: ${id}$`, "m"))
  running.kill("SIGTERM")
  const { code, stderr } = await running.ended
  assert.deepEqual([code, stderr], [0, ""])
})

test("a provider that has none is one line with those that have", async (t) => {
  const folder = await temporaryFolder(t)
  const { code, stderr, stdout } = await runCommand(["stub", "constructor"], { folder })
  assert.match(
    stderr,
    /^safelight: there is no stub of "constructor": choose one of .*\bfal\b.*\breplicate\b.*\n$/,
  )
  assert.deepEqual([code, stdout], [2, ""])
})

test("a port that is taken is one line", async (t) => {
  const folder = await temporaryFolder(t)
  const first = startCommand(["stub", "fal"], { folder })
  const [, port = ""] = await first.printed(/^listening on http:\/\/127\.0\.0\.1:(\d+)$/m)
  const { code, stderr } = await runCommand(["stub", "fal", "--port", port], { folder })
  assert.match(stderr, /^safelight: .*\n$/)
  assert.notEqual(code, 0)
  first.kill("SIGTERM")
  assert.equal((await first.ended).code, 0)
})
