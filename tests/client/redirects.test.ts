/** Redirects on real sockets: the key and a submission go to the service's own address, and nowhere else. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { createClient, type Client } from "@safelight/client"
import { serve } from "../support/misbehaving-server.ts"
import { ID, KEY, MODEL, PARAMETERS } from "./scripted-client.ts"

interface Redirected {
  readonly client: Client
  /** Requests at the service's address, and at the other one. */
  readonly asked: () => readonly [number, number]
}

async function redirect(t: TestContext, status: number): Promise<Redirected> {
  let [own, others] = [0, 0]
  const other = await serve(t, (_, response) => {
    others += 1
    response.end()
  })
  const { origin } = await serve(t, (request, response) => {
    own += 1
    response.writeHead(status, { location: `${other.origin}${request.url}` }).end()
  })
  return { client: createClient({ url: origin, key: KEY }), asked: () => [own, others] }
}

describe("a redirect", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    it(`by ${status} is not followed, by no call`, async (t) => {
      const { client, asked } = await redirect(t, status)
      const artifact = client.artifact(ID, "video")
      const calls = [
        () => client.submit(MODEL, PARAMETERS),
        () => client.get(ID),
        () => artifact.blob(),
        () => artifact.url(),
      ]
      for (const call of calls) {
        await assert.rejects(call(), { code: "invalid_answer", status, isRetryable: false })
      }
      assert.deepEqual(asked(), [calls.length, 0])
    })
  }
})
