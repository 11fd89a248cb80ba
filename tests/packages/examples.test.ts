/** The examples of the HTTP adapter, installed from the packed tarballs: each serves, makes a picture and stops. */
import assert from "node:assert/strict"
import { before, describe, it } from "node:test"
import { startExample, type ExampleServer } from "./example-server.ts"
import { installPackages, skipElsewhere, type Installation } from "./install-packages.ts"
import { checkClient } from "./run-client.ts"

const NODE = [process.execPath] as const

describe("an example", { skip: skipElsewhere }, () => {
  let installation: Installation

  before(async () => {
    installation = await installPackages()
  })

  for (const name of ["express", "fastify", "hono"]) {
    it(`on ${name} makes a picture below its prefix, reads its own bodies, and stops with 0`, async () => {
      const { folder } = installation
      await using server = await startExample(folder, `examples/${name}/server.ts`)
      await checkClient(folder, NODE, server)
      assert.deepEqual(await echo(server, { kept: 1 }), { kept: 1 })
      assert.equal(await server.stop(), 0)
    })
  }

  it("without a framework makes a picture for the client in Node, Node 20, Bun and Deno", async () => {
    const { folder, runtimes } = installation
    await using server = await startExample(folder, "examples/node/server.ts")
    for (const runtime of [NODE, ...Object.values(runtimes)]) {
      await checkClient(folder, runtime, server)
    }
    assert.equal(await server.stop(), 0)
  })
})

/** What the application's own endpoint makes of a body. */
async function echo({ url }: ExampleServer, body: object): Promise<unknown> {
  const response = await fetch(new URL("/echo", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  return response.json()
}
