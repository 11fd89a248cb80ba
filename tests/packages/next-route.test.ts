/**
 * The example of Next.js: its route handler, called with Next's own requests, in a process of its own. Next.js
 * itself does not run here, since its build takes longer than all other tests of the packages together.
 */
import { it } from "node:test"
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { installPackages, skipElsewhere } from "./install-packages.ts"
import { OUTSIDE_NPM } from "./pack-packages.ts"

/** The client asks the route, as Next.js would, for the method of each request. */
const PROGRAM = `
import { createClient } from "@safelight/client"
import { NextRequest } from "next/server.js"
import * as route from "../../examples/next/app/media/[...path]/route.ts"

const origin = "https://app.example"
const ask = (path, init) => route[init?.method ?? "GET"](new NextRequest(new URL(path, origin), init))
let printed = ""
console.log = (line) => (printed = line)
await ask("/media/healthz")
const [url, key] = printed.split(" ")
const client = createClient({ url, key, fetch: ask })
const task = await client.run("vendor-a/v4.1/flash/text-to-image", { prompt: "first light" })
const blob = await task.artifact("image_1").blob()
const unknown = await ask("/media/v1/nothing")
process.stdout.write(JSON.stringify({ url, status: task.status, type: blob.type, unknown: unknown.status }))
process.exit()
`

it("the route of the Next.js example makes a picture", { skip: skipElsewhere }, async () => {
  const { folder } = await installPackages()
  const cwd = join(folder, "running", "next")
  await mkdir(cwd, { recursive: true })
  await writeFile(join(cwd, "program.mjs"), PROGRAM)
  const env = { ...OUTSIDE_NPM, PUBLIC_ORIGIN: "https://app.example" }
  const { stdout } = await promisify(execFile)(process.execPath, ["program.mjs"], { cwd, env })
  assert.deepEqual(JSON.parse(stdout), {
    url: "https://app.example/media",
    status: "succeeded",
    type: "image/png",
    unknown: 404,
  })
})
