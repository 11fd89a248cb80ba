/**
 * What `import` refuses before it opens any data, and what it reports behind one that went well. How a
 * service moves is tried in command-move.test.ts. Nobody listens where the database would be.
 */
import assert from "node:assert/strict"
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { describe, test, type TestContext } from "node:test"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"
import {
  BIN,
  runCommand,
  temporaryFolder,
  type CommandEnd,
  type CommandOptions,
} from "./command-process.ts"

/** Of the task that is moved, and of another one. */
const [MOVED, OTHER] = ["a", "b"].map((digit) => `00000000-0000-7000-8000-${digit.repeat(12)}`) as [
  string,
  string,
]
const DATABASE = "postgres://safelight@127.0.0.1:1/safelight"

/** A folder whose data holds a task with an idempotency key, sealed and exported as `moved.ndjson`. */
async function createMoved(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  await accept(join(folder, "data"), MOVED)
  const { code, stderr } = await runCommand(["export", "--move", "--to", "moved.ndjson"], {
    folder,
  })
  assert.deepEqual([code, stderr], [0, ""])
  return folder
}

/** A task that waits, accepted under the key `once`. */
async function accept(data: string, id: string): Promise<void> {
  const storage = await createSqliteStorage({ folder: data })
  const queue = { kind: "enqueue", dueAt: 1, endBy: 10_000, lease: null, startTag: 0 } as const
  const { append } = submitSample({ id, submitted: { account: "ada" }, queue })
  const idempotency = { key: "once", fingerprint: "ab".repeat(32), usedAt: 900 }
  assert.deepEqual(await storage.admit({ append, idempotency }), { kind: "admitted" })
  await storage.close()
}

/** One line, and nothing was made. */
async function assertRefused(
  folder: string,
  words: readonly string[],
  says: RegExp,
  options: Partial<CommandOptions> = {},
): Promise<void> {
  const before = await readdir(folder, { recursive: true })
  const { code, stderr, stdout } = await runCommand(words, { folder, ...options })
  assert.match(stderr, /^safelight: [^\n]+\n$/)
  assert.match(stderr, says)
  assert.deepEqual([code, stdout], [2, ""])
  assert.deepEqual(await readdir(folder, { recursive: true }), before)
}

describe("artifacts that would be copied to where they are", () => {
  const says =
    /: artifacts would be copied from \S+ to where they are: --artifacts names where to$/m

  async function createWithArtifacts(t: TestContext): Promise<string> {
    const folder = await createMoved(t)
    await mkdir(join(folder, "data/artifacts/.incoming"), { recursive: true })
    return folder
  }

  test("are refused: a database elsewhere would be left without them", async (t) => {
    const folder = await createWithArtifacts(t)
    const from = ["--artifacts-from", "./data/artifacts"]
    await symlink("data", join(folder, "other-name"))
    const targets = [
      ["--database", DATABASE],
      ["--database", DATABASE, "--data", "other-name"],
      ["--database", DATABASE, "--artifacts", "other-name/artifacts"],
    ]
    for (const to of targets) {
      await assertRefused(folder, ["import", "moved.ndjson", ...from, ...to], says)
    }
    const environment = { SAFELIGHT_ARTIFACTS_URL: "data/artifacts" }
    const words = ["import", "moved.ndjson", ...from, "--data", "new"]
    await assertRefused(folder, words, says, { environment })
  })

  test("are copied where another place is named", async (t) => {
    const folder = await createWithArtifacts(t)
    const from = ["--artifacts-from", "./data/artifacts", "--data", "new"]
    const { code, stderr } = await runCommand(["import", "moved.ndjson", ...from], { folder })
    assert.deepEqual([code, stderr], [0, ""])
  })

  test("are not copied to a place that is not the database's", async (t) => {
    const folder = await createWithArtifacts(t)
    const storage = await createSqliteStorage({ folder: join(folder, "new") })
    const record = { revision: 0, artifactsMark: "of a bucket", adoptedAt: 0 }
    assert.ok(await storage.recordDeployment(record))
    await storage.close()
    const from = ["--artifacts-from", "./data/artifacts", "--data", "new"]
    const { code, stderr } = await runCommand(["import", "moved.ndjson", ...from], { folder })
    assert.match(stderr, /^safelight: the place for artifacts is not the one .* --artifacts .*\n$/)
    assert.equal(code, 2)
  })
})

describe("a file that can't be read", () => {
  /** A root that may not read everything is as good as anybody. */
  function runAsAnybody(words: readonly string[], folder: string): Promise<CommandEnd> {
    if (process.getuid?.() !== 0) return runCommand(words, { folder })
    const bin = "--bounding-set=-dac_override,-dac_read_search"
    return runCommand([process.execPath, BIN, ...words], { folder, node: "setpriv", bin })
  }

  const isWindows = process.platform === "win32"
  const skip = isWindows ? "its files have no such modes" : false

  test("is refused in one line, before an empty database is made for it", { skip }, async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, "moved.ndjson"), "")
    await chmod(join(folder, "moved.ndjson"), 0)
    for (const more of [[], ["--check"]]) {
      const { code, stderr } = await runAsAnybody(["import", "moved.ndjson", ...more], folder)
      assert.match(stderr, /^safelight: \S+\/moved\.ndjson can't be read \(EACCES\)\n$/)
      assert.equal(code, 2)
    }
    assert.deepEqual(await readdir(folder), ["moved.ndjson"])
  })

  const isLinux = process.platform === "linux"
  const reason = isLinux ? false : "only Linux has a file that opens and fails when it is read"

  test("on the way is refused in one line as well", { skip: reason }, async (t) => {
    const folder = await temporaryFolder(t)
    // Nothing stands at the beginning of a process's memory.
    const words = ["import", "/proc/self/mem"]
    for (const more of [["--check"], ["--data", "new"]]) {
      const { code, stderr } = await runCommand([...words, ...more], { folder })
      assert.equal(stderr, "safelight: /proc/self/mem can't be read (EIO)\n")
      assert.equal(code, 2)
    }
  })
})

test("an Idempotency-Key that stands for another task is named, and the import ends with 5", async (t) => {
  const folder = await createMoved(t)
  await accept(join(folder, "new"), OTHER)
  const words = ["import", "moved.ndjson", "--data", "new"]
  const first = await runCommand([...words, "--json"], { folder })
  assert.equal(
    first.stderr,
    `an Idempotency-Key of task ${MOVED} stands for another task of account "ada" here\n`,
  )
  const { idempotency } = JSON.parse(first.stdout) as { readonly idempotency: unknown }
  assert.deepEqual(idempotency, {
    findings: [{ account: "ada", task: MOVED }],
    findingCount: 1,
  })
  assert.equal(first.code, 5)
  const again = await runCommand(words, { folder })
  assert.deepEqual([again.code, again.stderr], [0, ""])
})
