/**
 * From the laptop to the server: a service moves from its folder to PostgreSQL and a bucket, as an
 * operator does it. The file itself, and what is refused, is tried beside `export` and `import`.
 */
import assert from "node:assert/strict"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { test } from "node:test"
import type { Storage } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { runCommand, startService } from "../command/command-process.ts"
import { edit, PICTURE, recordTasks } from "../command/recorded-tasks.ts"
import { download, reach, read, readJson, type Client } from "../client.ts"
import { createPostgresWorld } from "./postgres-world.ts"

const PROMPT = { prompt: "[studio: at-once] fog over a harbour" }
/** The same on both sides, so that answers are the same to the last byte. */
const PUBLIC_URL = ["--public-url", "https://media.example"]

/** What a client sees of a finished task, bytes and digests included. */
async function readAnswers(client: Client, id: string): Promise<unknown> {
  const paths = ["", "/artifacts", "/usage"].map((path) => `/v1/tasks/${id}${path}`)
  const answers = await Promise.all(paths.map((path) => readJson(client, path)))
  const path = `/v1/tasks/${id}/artifacts/image_2/content`
  const content = await read(client, path)
  const part = await read(client, path, { range: "bytes=-7" })
  return {
    answers,
    digest: content.headers.get("repr-digest"),
    etag: content.headers.get("etag"),
    bytes: Buffer.from(await content.arrayBuffer()).toString("hex"),
    part: [part.status, Buffer.from(await part.arrayBuffer()).toString("hex")],
  }
}

async function readLog(opening: Promise<Storage>, id: string): Promise<unknown> {
  const storage = await opening
  try {
    return await storage.readEvents(id)
  } finally {
    await storage.close()
  }
}

test("a folder moves to PostgreSQL and a bucket, and clients see no difference", async (t) => {
  const world = await createPostgresWorld(t)
  const { folder } = world
  const data = join(folder, "laptop")
  const onLaptop = ["--data", data]
  const made = await runCommand(["keys", "create", "--account", "ada", "--json", ...onLaptop], {
    folder,
  })
  const { key } = JSON.parse(made.stdout) as { readonly key: string }
  const [done = ""] = await recordTasks(data, [edit(2)], { account: "ada" })
  const laptop = await startService(folder, [...onLaptop, ...PUBLIC_URL])
  const before = await readAnswers({ url: laptop.url, key }, done)
  laptop.kill("SIGTERM")
  await laptop.ended
  const waits = { model: PICTURE, parameters: PROMPT }
  const [waiting = ""] = await recordTasks(data, [waits], { account: "ada" })

  const file = join(folder, "moved.ndjson")
  const exported = await runCommand(["export", "--move", "--to", file, ...onLaptop], { folder })
  assert.deepEqual([exported.code, exported.stderr], [0, ""])
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const words = ["import", file, "--artifacts-from", join(data, "artifacts")]
  const imported = await world.run(
    [...words, "--database", world.database, "--artifacts", world.bucket],
    { environment: world.credentials },
  )
  assert.match(
    imported.stdout,
    /^2 tasks \(1 unfinished\)[^\n]*\nAPI key [^\n]*\n2 artifacts copied, 0 there before/,
  )
  assert.deepEqual([imported.code, imported.stderr], [0, ""])
  assert.deepEqual(
    await readLog(createPostgresStorage({ url: world.database, mode: "beside" }), done),
    await readLog(createSqliteStorage({ folder: data, mode: "beside" }), done),
  )

  const server = await world.serve(PUBLIC_URL)
  const client = { url: server.url, key }
  assert.deepEqual(await readAnswers(client, done), before)
  await reach(client, waiting, "succeeded")
  await download(client, waiting)
  // Again it copies nothing, and what moved away is served no more.
  const audits = ["verify", "replay"].map((name) => world.succeed("audit", name))
  const [again, sealed] = await Promise.all([
    world.succeed(...words),
    runCommand(["serve", "--port", "0", ...onLaptop], { folder }),
    ...audits,
  ])
  assert.match(again, /0 artifacts copied, 2 there before.*\nit was imported/)
  assert.match(sealed.stderr, /^safelight: this data was sealed and moves elsewhere[^\n]*\n$/m)
  assert.equal(sealed.code, 1)
})
