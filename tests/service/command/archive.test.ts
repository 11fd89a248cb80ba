/** The archive from the command line, and what a service answers of tasks that are in it. */
import assert from "node:assert/strict"
import { cp, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it, type TestContext } from "node:test"
import { createSequencer } from "@safelight/proof"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createService, DEFAULTS, type Configuration, type Service } from "safelight"
import { createLogRecorder, type LogRecorder } from "../../engine/log-recorder.ts"
import { growTree, tree } from "../../support/signed-storage.ts"
import { until } from "../../support/until.ts"
import { runCommand, type CommandEnd } from "./command-process.ts"
import { PAST_TASKS, recordPastFolder, toId } from "./past-tasks.ts"
import { assertEnd } from "./signed-house.ts"

/** Of the past tasks: the two of ben's that failed. */
const ENDED = [toId(3), toId(4)]

interface ArchiveHouse {
  readonly folder: string
  readonly key: string
  run(...words: readonly string[]): Promise<CommandEnd>
}

async function createArchiveHouse(t: TestContext): Promise<ArchiveHouse> {
  const folder = await recordPastFolder(t)
  const environment = { SAFELIGHT_SIGNING_KEY_FILE: "safelight-signing.key" }
  const run = (...words: readonly string[]) => runCommand(words, { folder, environment })
  const made = await runCommand(["audit", "keys", "create", "media.example/log", "--json"], {
    folder,
  })
  const { public_key: key } = JSON.parse(made.stdout) as { public_key: string }
  return { folder, key, run }
}

async function startService(
  t: TestContext,
  { folder }: Pick<ArchiveHouse, "folder">,
  changes: Partial<Configuration> = {},
): Promise<Service & Pick<LogRecorder, "entries">> {
  const recorder = createLogRecorder()
  const configuration = {
    ...DEFAULTS,
    port: 0,
    stopGraceMs: 0,
    data: join(folder, "data"),
    ...changes,
  }
  const service = await createService({ configuration, log: recorder.log, adopt: true })
  t.after(() => service.stop())
  return { ...service, entries: recorder.entries }
}

/** Every answer that an account gets of its tasks. */
async function readAnswers({ url }: Service, key: string): Promise<readonly string[]> {
  const paths = [
    "/v1/tasks?limit=100",
    "/v1/usage?from=0&to=1795000000",
    ...ENDED.flatMap((id) => [
      `/v1/tasks/${id}`,
      `/v1/tasks/${id}/artifacts`,
      `/v1/tasks/${id}/events`,
    ]),
  ]
  return Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
      return `${response.status} ${await response.text()}`
    }),
  )
}

describe("the archive, from the command line", () => {
  it("takes what has ended, answers as before, is proved and restored, beside a service", async (t) => {
    const house = await createArchiveHouse(t)
    const { folder, key, run } = house
    const made = await run("keys", "create", "--account", "ben", "--json")
    const { key: secret } = JSON.parse(made.stdout) as { key: string }
    const service = await startService(t, house)
    const before = await readAnswers(service, secret)
    assert.ok(
      before.every((answer) => !/^[45]/.test(answer)),
      before.join("\n"),
    )

    const replayed = await run("audit", "replay")
    assertEnd(await run("archive", "run", "--older-than", "1d"), 2, /no checkpoint was signed yet/)
    assertEnd(await run("audit", "checkpoint"), 0, /^media/)
    const archived = await run("archive", "run", "--older-than", "1d", "--json")
    const { bytes, ...counts } = JSON.parse(archived.stdout) as Record<string, unknown>
    assert.equal(typeof bytes, "number")
    assert.deepEqual(counts, { outcome: "done", segments: 1, tasks: 2, bundles: 0, left: 0 })
    assert.deepEqual(countEvents(folder), PAST_TASKS.length - ENDED.length)
    assert.deepEqual(await readAnswers(service, secret), before)

    assert.equal((await run("audit", "replay")).stdout, replayed.stdout)
    for (const words of [["verify"], ["artifacts"], ["task", ENDED[0] ?? ""]]) {
      assert.equal((await run("audit", ...words)).code, 0, words.join(" "))
    }
    const proof = await run("audit", "prove", ENDED[1] ?? "")
    await writeFile(join(folder, "proof.json"), proof.stdout)
    assertEnd(await run("audit", "check", "proof.json", "--key", key), 0, /3 events of task/)
    assertEnd(await run("audit", "export", "--out", "log.jsonl"), 0, /6 tasks/)
    assertEnd(await run("audit", "check", "log.jsonl", "--key", key), 0, /it is whole/)

    const listed = await run("archive", "list", "--json")
    const { segments } = JSON.parse(listed.stdout) as { segments: { locator: string }[] }
    const locator = segments[0]?.locator ?? ""
    assertEnd(await run("archive", "list"), 0, /file +written +tasks[^]*\nsegment 1 +2/)
    await cp(join(folder, "data/artifacts", locator), join(folder, "segment.zst"))
    assertEnd(
      await run("audit", "check", "segment.zst", "--key", key),
      0,
      /2 tasks, 6 events[^]*it is whole/,
    )

    assertEnd(await run("archive", "restore", "7"), 2, /there is no segment 7/)
    assertEnd(
      await run("archive", "restore", "1"),
      0,
      /2 tasks of segment 1 are in the database again/,
    )
    assert.equal(countEvents(folder), PAST_TASKS.length)
    assert.deepEqual(await readAnswers(service, secret), before)
    assertEnd(await run("archive", "list", "--json"), 0, /^{"segments":\[\],"bundles":\[\]}/)
    assertEnd(await run("audit", "checkpoint"), 0, /^media/)
    assert.equal((await run("audit", "verify")).code, 0)
  })

  it("fails of an archived task while its segment is gone, and goes on with all others", async (t) => {
    const house = await createArchiveHouse(t)
    const { folder, run } = house
    const made = await run("keys", "create", "--account", "ben", "--json")
    const { key } = JSON.parse(made.stdout) as { key: string }
    await run("audit", "checkpoint")
    await run("archive", "run", "--older-than", "1d")
    const service = await startService(t, house)
    const read = async (id: string): Promise<number> => {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${service.url}/v1/tasks/${id}`, { headers })).status
    }
    const [segment] = await service.storage.listSegments()
    const place = join(folder, "data/artifacts", segment?.locator ?? "")
    await rename(place, `${place}-away`)
    assert.deepEqual([await read(ENDED[0] ?? ""), await read(toId(5))], [500, 200])
    assertEnd(await run("audit", "replay"), 1, new RegExp(`${ENDED[0]}`))
    assertEnd(await run("audit", "artifacts"), 1, /segment-1 of the archive is not there/)
    await rename(`${place}-away`, place)
    assert.deepEqual([await read(ENDED[0] ?? ""), await read(toId(5))], [200, 200])
  })

  it("takes old parts of the signed tree along, and every proof and tile is what it was", async (t) => {
    const house = await createArchiveHouse(t)
    const { folder, key, run } = house
    const storage = await createSqliteStorage({ folder: join(folder, "data") })
    await storage.openTree()
    await createSequencer({ storage, tree }).sequence()
    await growTree(storage, 66_000)
    await storage.close()
    assertEnd(await run("audit", "checkpoint"), 0, /^media/)
    const proof = (await run("audit", "prove", toId(5))).stdout
    const first = await startService(t, house, await readSigned(folder))
    const before = await readTiles(first)
    await first.stop()

    const archived = await run("archive", "run", "--older-than", "1d")
    assertEnd(archived, 0, /^2 tasks in 1 segments, 1 bundles of the tree, 2\.\d MiB/)
    assertEnd(await run("archive", "list"), 0, /\ntree 0 [^]*\/archive\//)
    assert.equal((await run("audit", "prove", toId(5))).stdout, proof)
    await writeFile(join(folder, "proof.json"), proof)
    assertEnd(await run("audit", "check", "proof.json", "--key", key), 0, /events of task/)
    const service = await startService(t, house, await readSigned(folder))
    assert.deepEqual(await readTiles(service), before)
    assert.equal((await run("audit", "artifacts")).code, 0)
    const [bundle] = await service.storage.listBundles()
    await rename(
      join(folder, "data/artifacts", bundle?.locator ?? ""),
      join(folder, "data/artifacts", "away"),
    )
    assertEnd(await run("audit", "artifacts"), 1, /tree-0 of the archive is not there/)
    assertEnd(await run("audit", "prove", toId(5)), 2, /bundle 0 of the tree can't be read/)
  })

  it("refuses in words what can't be done", async (t) => {
    const { folder, run } = await createArchiveHouse(t)
    assertEnd(await run("archive", "run"), 2, /how old is old enough\? --older-than/)
    assertEnd(await run("archive", "run", "--older-than", "soon"), 2, /--older-than[^]*duration/)
    assertEnd(await run("archive", "restore", "one"), 2, /segment[^]*whole number/)
    await run("audit", "checkpoint")
    await run("archive", "run", "--older-than", "1d")
    await cp(join(folder, "data"), join(folder, "copy"), { recursive: true })
    const copied = await run("archive", "restore", "1", "--data", "copy")
    assertEnd(copied, 2, /this database is a copy/)
    assertEnd(await run("archive", "run", "--data", "copy", "--older-than", "1d"), 2, /is a copy/)
  })

  it("is run by a service as it starts and each night, and waits for a key", async (t) => {
    const house = await createArchiveHouse(t)
    const waiting = await startService(t, house, { archive: { afterMs: 86_400_000 } })
    await until(() => waiting.entries.some(({ message }) => message === "archive waits"))
    await waiting.stop()
    await house.run("audit", "checkpoint")
    const service = await startService(t, house, { archive: { afterMs: 86_400_000 } })
    await until(() => service.entries.some(({ message }) => message === "tasks archived"))
    const [logged] = service.entries.filter(({ message }) => message === "tasks archived")
    assert.deepEqual(logged?.fields, { segments: 1, tasks: 2, bundles: 0, left: 0 })
  })
})

async function readSigned(folder: string): Promise<Partial<Configuration>> {
  const signingKey = (await readFile(join(folder, "safelight-signing.key"), "utf8")).trim()
  return { checkpoints: { ...DEFAULTS.checkpoints, signingKey } }
}

async function readTiles({ url }: Service): Promise<readonly string[]> {
  return Promise.all(
    ["0/000", "0/255", "0/256", "1/000"].map(async (tile) => {
      const response = await fetch(`${url}/log/tile/${tile}`)
      const bytes = Buffer.from(await response.arrayBuffer())
      return `${response.status} ${bytes.toString("base64")}`
    }),
  )
}

/** Tasks whose events are in the database. */
function countEvents(folder: string): number {
  const database = new DatabaseSync(join(folder, "data", "safelight.db"), { readOnly: true })
  try {
    const row = database.prepare("select count(distinct task) as tasks from events").get()
    return Number(row?.["tasks"])
  } finally {
    database.close()
  }
}
