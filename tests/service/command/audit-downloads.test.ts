/**
 * `audit check --artifacts`: what somebody downloaded, beside the log or the proof that they were given. Neither the
 * database nor the service is asked.
 */
import assert from "node:assert/strict"
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import type { DownloadReport } from "@safelight/audit"
import { assertEnd, createHouse, withService, type House } from "./signed-house.ts"

interface Stranger extends House {
  /** Where the downloads are: `downloads` in `folder`. */
  readonly files: string
  /** The path of a download. */
  readonly toFile: (task: string | undefined, key: string) => string
  /** Of the log, with downloads. */
  readonly check: (...words: readonly string[]) => ReturnType<House["run"]>
}

/** Somebody who downloaded all four pictures of three tasks, and has `log.jsonl` and the `proof.json` of the first. */
async function createStranger(t: TestContext): Promise<Stranger> {
  const house = await createHouse(t)
  const { data, folder, key, run, sign, tasks } = house
  await sign("audit", "checkpoint")
  assert.equal((await sign("audit", "export", "--out", "log.jsonl")).code, 0)
  await writeFile(join(folder, "proof.json"), (await sign("audit", "prove", tasks[0] ?? "")).stdout)
  const made = await run("keys", "create", "--account", "default", "--json")
  const { key: secret } = JSON.parse(made.stdout) as { key: string }
  await withService({ data }, async ({ url }) => {
    for (const task of tasks) {
      const service = ["--url", url, "--key", secret]
      const end = await run("tasks", "artifacts", task, "--output", "downloads", ...service)
      assert.equal(end.code, 0, end.stderr)
    }
  })
  const files = join(folder, "downloads")
  assert.equal((await readdir(files)).length, 4)
  const toFile = (task: string | undefined, name: string) => join(files, `${task}-${name}.png`)
  const check = (...words: readonly string[]) =>
    run("audit", "check", "log.jsonl", "--key", key, "--artifacts", "downloads", ...words)
  return { ...house, files, toFile, check }
}

/** One bit of one byte. */
async function alter(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes[7] = (bytes[7] ?? 0) ^ 1
  await writeFile(path, bytes)
}

function parseArtifacts(stdout: string): DownloadReport {
  const { artifacts } = JSON.parse(stdout) as { artifacts: DownloadReport }
  return artifacts
}

describe("downloads beside a log", () => {
  it("are whole as they were downloaded, whatever else is in their folder", async (t) => {
    const { check, data, files, key, run, sign } = await createStranger(t)
    const whole =
      /^4 of 4 artifacts \(100%\) were looked for: 4 as the log says, 0 not, 0 missing, 0 expired and not there\n256 B of 256 B \(100%\) were read\nit is whole, and every artifact that was read is what it says\n$/m
    await writeFile(join(files, "notes.txt"), "mine")
    await mkdir(join(files, "more"))
    assertEnd(await check(), 0, whole)
    const beside = ["--artifacts", "downloads"]
    assertEnd(await run("audit", "check", "log.jsonl", ...beside), 0, whole)
    await sign("audit", "export", "--out", "log.jsonl.zst", "--account", "default")
    assertEnd(await run("audit", "check", "log.jsonl.zst", "--key", key, ...beside), 0, whole)
    // The service's own folder, without any of the names that downloads have.
    await rm(files, { recursive: true })
    await cp(join(data, "artifacts"), files, { recursive: true })
    assertEnd(await check(), 0, whole)
  })

  it("are named if they differ, by a bit or by their size", async (t) => {
    const { check, tasks, toFile } = await createStranger(t)
    await alter(toFile(tasks[0], "image_2"))
    await truncate(toFile(tasks[1], "image_1"), 10)
    const { code, stdout } = await check()
    assert.equal(code, 1, stdout)
    const lines = stdout.split("\n")
    assert.deepEqual(
      lines.filter((line) => line.includes(" is not ")).toSorted(),
      [
        `image_1 of task ${tasks[1]} is not what the log says`,
        `image_2 of task ${tasks[0]} is not what the log says`,
      ].toSorted(),
    )
    assert.match(stdout, /: 2 as the log says, 2 not, 0 missing, 0 expired/)
    assert.match(stdout, /\nit differs\n$/)
  })

  it("can't be judged if they are missing, which is told apart from those that differ", async (t) => {
    const { check, tasks, toFile } = await createStranger(t)
    await rm(toFile(tasks[0], "image_1"))
    const missing = await check()
    assertEnd(missing, 2, new RegExp(`^image_1 of task ${tasks[0]} is not there$`, "m"))
    assert.match(missing.stdout, /: 3 as the log says, 0 not, 1 missing, 0 expired/)
    assert.match(missing.stdout, /\nit could not be told\n$/)
    await alter(toFile(tasks[0], "image_2"))
    const both = await check("--json")
    assert.equal(both.code, 1)
    const report = JSON.parse(both.stdout) as { findingCount: number; outcome: string }
    assert.deepEqual([report.outcome, report.findingCount], ["differs", 0])
    const { differing, findings, ...rest } = parseArtifacts(both.stdout)
    assert.deepEqual([differing, rest.missing, rest.expired, rest.outcome], [1, 1, 0, "differs"])
    assert.deepEqual(findings.map(({ key, kind, task }) => `${key} ${kind} ${task}`).toSorted(), [
      `image_1 missing ${tasks[0]}`,
      `image_2 differs ${tasks[0]}`,
    ])
  })

  it("do not make up for a log that differs", async (t) => {
    const { run, tasks, toFile } = await createStranger(t)
    const made = await run("audit", "keys", "create", "media.example/log", "--out", "2", "--json")
    const { public_key: other } = JSON.parse(made.stdout) as { public_key: string }
    const check = () =>
      run("audit", "check", "log.jsonl", "--key", other, "--artifacts", "downloads")
    const whole = await check()
    assertEnd(whole, 1, /no trusted key/)
    assert.match(whole.stdout, /: 4 as the log says, 0 not, 0 missing/)
    await rm(toFile(tasks[0], "image_1"))
    assertEnd(await check(), 1, /: 3 as the log says, 0 not, 1 missing/)
  })

  it("are sampled by a seed that reads the same again, at a rate", async (t) => {
    const { check, tasks, toFile } = await createStranger(t)
    const first = parseArtifacts((await check("--sample", "50%", "--seed", "a", "--json")).stdout)
    assert.deepEqual([first.sample, first.named.artifacts], [{ share: 0.5, seed: "a" }, 4])
    const again = await check("--sample", "0.5", "--seed", "a", "--rate", "1MB", "--json")
    assert.deepEqual(parseArtifacts(again.stdout), { ...first, bytesPerSecond: 1e6 })
    assertEnd(await check("--sample", "50%"), 0, /^chosen by --sample 0\.5 --seed [0-9a-f]{8}$/m)
    // What is not chosen is not missed either. Of 40 seeds about half choose a picture.
    await rm(toFile(tasks[0], "image_1"))
    const outcomes = new Set<string>()
    for (const seed of Array.from({ length: 40 }, (_, index) => `${index}`)) {
      const end = await check("--sample", "50%", "--seed", seed, "--json")
      const { missing, outcome } = parseArtifacts(end.stdout)
      outcomes.add(`${end.code} ${outcome} ${missing}`)
    }
    assert.deepEqual([...outcomes].toSorted(), ["0 whole 0", "2 could-not-tell 1"])
  })

  it("are refused in words that name the folder or the option", async (t) => {
    const { check, run } = await createStranger(t)
    const of = (...words: readonly string[]) => run("audit", "check", "log.jsonl", ...words)
    assertEnd(await of("--artifacts", "nowhere"), 2, /nowhere can't be read \(ENOENT\)/)
    assertEnd(await of("--artifacts", "log.jsonl"), 2, /log\.jsonl is no folder/)
    for (const given of [
      ["--sample", "1%"],
      ["--seed", "a"],
      ["--rate", "1MB"],
    ]) {
      assertEnd(await of(...given), 2, new RegExp(`${given[0]} is about the files of --artifacts`))
    }
    assertEnd(await check("--seed", "a"), 2, /--seed chooses the artifacts of --sample/)
  })
})

describe("downloads beside the proof of a task", () => {
  it("are those of that task alone: whole, altered and missing", async (t) => {
    const { key, run, tasks, toFile } = await createStranger(t)
    const check = (...words: readonly string[]) =>
      run("audit", "check", "proof.json", "--key", key, "--artifacts", "downloads", ...words)
    // Those of other tasks don't matter.
    await rm(toFile(tasks[1], "image_1"))
    assertEnd(await check(), 0, /^2 of 2 artifacts \(100%\) were looked for: 2 as the log says/m)
    await rm(toFile(tasks[0], "image_1"))
    assertEnd(await check(), 2, new RegExp(`^image_1 of task ${tasks[0]} is not there$`, "m"))
    await alter(toFile(tasks[0], "image_2"))
    const differs = await check()
    assertEnd(differs, 1, new RegExp(`^image_2 of task ${tasks[0]} is not what the log says$`, "m"))
    assert.match(differs.stdout, /\nit differs\n$/)
    const { differing, missing } = parseArtifacts((await check("--json")).stdout)
    assert.deepEqual([differing, missing], [1, 1])
  })
})
