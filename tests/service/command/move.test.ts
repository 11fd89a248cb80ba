/**
 * `export` and `import`: a service moves from one folder to another, as an operator does it. What the
 * file itself must be is tried in memory (core/transfer.test.ts); this is about files, folders and services.
 */
import assert from "node:assert/strict"
import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, test, type TestContext } from "node:test"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import type { Storage } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createService, DEFAULTS, type Service } from "safelight"
import { runCommand, temporaryFolder, type CommandEnd } from "./command-process.ts"
import { edit, PICTURE, recordTasks } from "./recorded-tasks.ts"

interface House {
  /** Holds `source`, `target` and the file. */
  readonly folder: string
  readonly source: string
  readonly target: string
  readonly file: string
  readonly key: string
  /** Finished, and not. */
  readonly done: string
  readonly queued: string
  run(...words: readonly string[]): Promise<CommandEnd>
}

const PROMPT = { prompt: "[studio: at-once] fog over a harbour" }

/** An account with a key, a finished task with two artifacts, and one that waits. */
async function createHouse(t: TestContext): Promise<House> {
  const folder = await temporaryFolder(t)
  const [source, target] = [join(folder, "source"), join(folder, "target")]
  const run = (...words: readonly string[]): Promise<CommandEnd> => runCommand(words, { folder })
  const made = await run("keys", "create", "--account", "ada", "--json", "--data", source)
  const { key } = JSON.parse(made.stdout) as { key: string }
  const recorded = await recordTasks(source, [edit(2), { model: PICTURE, parameters: PROMPT }], {
    account: "ada",
  })
  const [done = "", queued = ""] = recorded
  return { folder, source, target, file: join(folder, "moved.ndjson"), key, done, queued, run }
}

function exportHouse({ run, source, file }: House, ...words: readonly string[]) {
  return run("export", "--data", source, "--to", file, ...words)
}

function importHouse({ run, source, target, file }: House, ...words: readonly string[]) {
  const from = ["--artifacts-from", join(source, "artifacts")]
  return run("import", file, "--data", target, ...from, ...words)
}

async function withStorage<Result>(
  data: string,
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await createSqliteStorage({ folder: data, mode: "beside" })
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

async function withService<Result>(
  data: string,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const publicUrl = "https://media.example"
  const studio = { sandbox: true }
  const configuration = {
    ...DEFAULTS,
    port: 0,
    studio,
    data,
    publicUrl,
    logLevel: "silent" as const,
  }
  const service = await createService({ configuration })
  try {
    return await use(service)
  } finally {
    await service.stop()
  }
}

/** What a client sees of a finished task, bytes and digests included. */
async function readAnswers({ url }: Service, { key, done }: House): Promise<unknown> {
  const get = (path: string): Promise<Response> =>
    fetch(`${url}/v1/tasks/${done}${path}`, { headers: { authorization: `Bearer ${key}` } })
  const content = await get("/artifacts/image_2/content")
  return {
    task: await (await get("")).json(),
    artifacts: await (await get("/artifacts")).json(),
    usage: await (await get("/usage")).json(),
    digest: content.headers.get("repr-digest"),
    bytes: Buffer.from(await content.arrayBuffer()).toString("hex"),
  }
}

describe("moving house", () => {
  test("clients see the same, keys hold, what waited goes on, and the audit is whole", async (t) => {
    const house = await createHouse(t)
    const before = await withService(house.source, (service) => readAnswers(service, house))
    // The service has finished what waited; another one waits now.
    const [waiting = ""] = await recordTasks(
      house.source,
      [{ model: PICTURE, parameters: PROMPT }],
      { account: "ada" },
    )
    const exported = await exportHouse(house, "--move", "--json")
    assert.equal(exported.stderr, "")
    const { file, ...counts } = JSON.parse(exported.stdout) as Record<string, unknown>
    assert.equal(file, house.file)
    assert.deepEqual(
      [counts["is_sealed"], counts["tasks"], counts["unfinished_tasks"]],
      [true, 3, 1],
    )
    const imported = await importHouse(house)
    assert.match(
      imported.stdout,
      /^3 tasks \(1 unfinished\), .*\nAPI key \w+ of account "ada": tasks:write, .*\n3 artifacts copied, 0 there before/,
    )
    assert.deepEqual([imported.code, imported.stderr], [0, ""])
    const events = (data: string) => withStorage(data, (storage) => storage.readEvents(house.done))
    assert.deepEqual(await events(house.target), await events(house.source))
    await withService(house.target, async (service) => {
      assert.deepEqual(await readAnswers(service, house), before)
      assert.equal((await service.engine.finished(waiting))?.state, "succeeded.available")
    })
    for (const name of ["verify", "replay"]) {
      const { code, stdout } = await house.run("audit", name, "--data", house.target)
      assert.equal(code, 0, stdout)
    }
  })

  test("sealed data is read and not served, written or imported into", async (t) => {
    const house = await createHouse(t)
    const { run, source, file } = house
    assert.equal((await exportHouse(house, "--move")).code, 0)
    const refused = /^safelight: this data was sealed and moves elsewhere[^\n]*\n$/
    const writes = [
      ["serve", "--port", "0"],
      ["accounts", "set", "ada", "--weight", "2"],
      ["keys", "create", "--account", "eve"],
      ["keys", "revoke", "x"],
      ["links", "rotate"],
      ["tasks", "erase", house.done],
      ["tasks", "resolve", house.done, "--fail"],
      ["import", file],
    ]
    for (const words of writes) {
      const { code, stderr } = await run(...words, "--data", source)
      assert.match(stderr, refused, words.join(" "))
      assert.equal(code, 1, words.join(" "))
    }
    const reads = [
      ["accounts", "list"],
      ["accounts", "show", "ada"],
      ["keys", "list"],
      ["audit", "replay"],
    ]
    for (const words of reads) {
      assert.equal((await run(...words, "--data", source)).code, 0, words.join(" "))
    }
    await withStorage(source, async (storage) => {
      assert.equal((await storage.findAccount("ada"))?.weight, 1)
    })
  })

  test("--unseal opens sealed data again, and says what that means", async (t) => {
    const house = await createHouse(t)
    const early = await exportHouse(house, "--unseal")
    assert.deepEqual([early.code, early.stderr], [2, "safelight: this data is not sealed\n"])
    await exportHouse(house, "--move")
    const opened = await exportHouse(house, "--unseal")
    assert.deepEqual([opened.code, opened.stdout], [0, "this data can be served again\n"])
    assert.match(opened.stderr, /must not be imported any more/)
    await withService(house.source, async ({ engine }) => {
      assert.equal((await engine.finished(house.queued))?.state, "succeeded.available")
    })
  })

  test("an export is for its owner alone, is not written over, and is made again", async (t) => {
    const house = await createHouse(t)
    // What an interrupted export left: open to all, or a link to somewhere else.
    const elsewhere = join(house.folder, "elsewhere")
    await writeFile(elsewhere, "kept")
    await symlink(elsewhere, `${house.file}.partial`)
    assert.equal((await exportHouse(house, "--move")).code, 0)
    assert.equal((await stat(house.file)).mode & 0o777, 0o600)
    assert.equal(await readFile(elsewhere, "utf8"), "kept")
    const again = await exportHouse(house, "--move")
    assert.match(again.stderr, /moved\.ndjson is there already; --to names another file/)
    assert.equal(again.code, 2)
    await chmod(house.file, 0o644)
    await rm(house.file)
    assert.equal((await exportHouse(house, "--move")).code, 0)
    assert.equal((await stat(house.file)).mode & 0o777, 0o600)
    assert.deepEqual(
      (await readdir(house.folder)).filter((name) => name.endsWith(".partial")),
      [],
    )
  })

  test("no data moves while a service runs on it", async (t) => {
    const house = await createHouse(t)
    // The service here is this process: another one must not move its data.
    const run = (...words: readonly string[]): Promise<CommandEnd> =>
      runCommand(words, { folder: house.folder, isOwnProcess: true })
    await withService(house.source, async () => {
      const { code, stderr } = await exportHouse({ ...house, run }, "--move")
      assert.match(stderr, /another process serves this data folder/)
      assert.equal(code, 1)
      assert.equal((await exportHouse(house)).code, 0)
      assert.deepEqual(await withStorage(house.source, (storage) => storage.listTransfers()), [])
    })
    await withService(house.target, async () => {
      const { stderr } = await importHouse({ ...house, run })
      assert.match(stderr, /another process serves this data folder/)
    })
  })
})

describe("an import", () => {
  test("of unsealed data is refused while tasks are unfinished, and makes no task", async (t) => {
    const house = await createHouse(t)
    assert.match((await exportHouse(house)).stdout, /^this data goes on: /m)
    const { code, stderr } = await importHouse(house)
    assert.match(stderr, /^safelight: 1 tasks are not finished[^\n]*--move[^\n]*\n$/)
    assert.equal(code, 2)
    await withStorage(house.target, async (storage) => {
      assert.deepEqual((await storage.scan({ after: "", limit: 1 })).streams, [])
      assert.deepEqual(await storage.listTransfers(), [])
    })
  })

  test("of a file that was cut or altered is refused, and so is its check", async (t) => {
    const house = await createHouse(t)
    await exportHouse(house, "--move")
    const whole = await readFile(house.file, "utf8")
    const sound = await house.run("import", house.file, "--check")
    assert.match(
      sound.stdout,
      /^2 tasks \(1 unfinished\).*\nAPI key \w+ of account "ada": .*\nit is whole\n$/,
    )
    const damages: readonly (readonly [string, RegExp])[] = [
      [whole.slice(0, -10), /the file is cut/],
      [whole.replace("harbour", "harbor!"), /not the one that its log is committed to/],
      [whole.replace('"isSealed":true', '"isSealed": true'), /digest says: it was altered/],
      ["", /the file is cut/],
    ]
    for (const [text, words] of damages) {
      await writeFile(house.file, text)
      for (const more of [["--check"], []]) {
        const { code, stderr } = await importHouse(house, ...more)
        assert.match(stderr, words)
        // Neither the prompt nor any other part of the line is repeated.
        assert.ok(!stderr.includes("harb"), stderr)
        assert.equal(code, 2)
      }
    }
  })

  test("that is not complete keeps the data from being served, and goes on", async (t) => {
    const house = await createHouse(t)
    await exportHouse(house, "--move")
    // Nothing can be put into the folder of artifacts, after the mark was set.
    const folder = join(house.target, "artifacts")
    await createFilesystemArtifacts({ folder }).mark?.("a-house")
    const incoming = join(folder, ".incoming")
    await rm(incoming, { recursive: true, force: true })
    await writeFile(incoming, "in the way")
    const failed = await importHouse(house)
    assert.equal(failed.code, 1, failed.stderr)
    const serve = await house.run("serve", "--port", "0", "--data", house.target)
    assert.match(serve.stderr, /an import into this data is not complete/)
    assert.equal(serve.code, 1)
    await rm(incoming)
    assert.equal((await importHouse(house)).code, 0)
    const again = await importHouse(house)
    assert.match(again.stdout, /0 artifacts copied, 2 there before.*\nit was imported before\n$/)
    await withService(house.target, async ({ engine }) => {
      assert.equal((await engine.finished(house.queued))?.state, "succeeded.available")
    })
  })

  test("names artifacts that are missing or are not what the log says, and ends with 5", async (t) => {
    const house = await createHouse(t)
    await exportHouse(house, "--move")
    const head = await withStorage(house.source, (storage) => storage.readTask(house.done))
    const [first, second] = head?.task.artifacts ?? []
    assert.ok(first && second)
    const folder = join(house.source, "artifacts")
    await rm(join(folder, first.locator))
    await writeFile(join(folder, second.locator), Buffer.alloc(second.bytes, 1))
    const { code, stderr } = await importHouse(house)
    assert.deepEqual(stderr.split("\n").toSorted(), [
      "",
      `image_1 of task ${house.done} is not in the folder`,
      `image_2 of task ${house.done} is not what the log says`,
    ])
    assert.equal(code, 5)
    const artifacts = createFilesystemArtifacts({ folder: join(house.target, "artifacts") })
    assert.deepEqual(await artifacts.list(house.done), [])
  })

  test("of a folder or a file that is none is one line and makes nothing", async (t) => {
    const house = await createHouse(t)
    const none = await house.run("import", "none.ndjson", "--data", house.target)
    assert.match(none.stderr, /^safelight: \S*none\.ndjson can't be read \(ENOENT\)\n$/)
    await exportHouse(house, "--move")
    const wrong = ["--data", house.target, "--artifacts-from", house.folder]
    const { code, stderr } = await house.run("import", house.file, ...wrong)
    assert.match(stderr, /is no folder of artifacts/)
    assert.deepEqual([none.code, code], [2, 2])
    assert.ok(!(await readdir(house.folder)).includes("target"))
  })
})
