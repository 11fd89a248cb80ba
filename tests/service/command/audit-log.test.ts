/**
 * The signed log as an operator and a stranger use it: from the key to a file that is checked without the database, and
 * what becomes of whoever removes, sets back or forks.
 */
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { text } from "node:stream/consumers"
import { describe, it } from "node:test"
import { zstdCompressSync } from "node:zlib"
import { createS3Objects } from "@safelight/artifacts-s3"
import { GENESIS_HASH, hashEvent, type ProvenEvent } from "@safelight/core"
import { sha256 as digest } from "@safelight/engine"
import {
  createTreeHash,
  hashEventEntry,
  isRefusal,
  openEventProof,
  parseVerifierKey,
  signCheckpoint,
} from "@safelight/proof"
import { openSignerKey, sha256, verifyEd25519 } from "@safelight/proof/node"
import { startS3rver } from "../../adapters/artifacts-s3/mended-s3rver.ts"
import { findPython, runPython } from "../../support/run-python.ts"
import { until } from "../../support/until.ts"
import { runCommand } from "./command-process.ts"
import { edit, PICTURE, recordTasks } from "./recorded-tasks.ts"
import { assertEnd, createHouse, withService } from "./signed-house.ts"

const CHECKER = join(import.meta.dirname, "../../../packages/audit/check.py")

interface ProvenBill {
  readonly checkpoint: string
  readonly charges: readonly {
    readonly task: string
    readonly charge_micros: number
    readonly event: { readonly hash: string; readonly previous_hash: string }
    readonly proof: ProvenEvent
  }[]
}

describe("a signed log, from the command line", () => {
  it("has a key that its owner alone can read, and that is never replaced", async (t) => {
    const { folder, key, run } = await createHouse(t)
    const path = join(folder, "safelight-signing.key")
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    const secret = await readFile(path, "utf8")
    assert.match(key, /^media\.example\/log\+[0-9a-f]{8}\+/)
    const again = await run("audit", "keys", "create", "media.example/log")
    assertEnd(again, 2, /safelight-signing\.key is there already; --out names another file/)
    assert.equal(await readFile(path, "utf8"), secret)
    const named = await run("audit", "keys", "create", "media.example/log", "--out", "two.key")
    assertEnd(named, 0, /this is the public key/)
    assert.ok(!named.stdout.includes("PRIVATE"))
    assertEnd(await run("audit", "keys", "create", "a name"), 2, /name: expected a host and a path/)
    assertEnd(await run("audit", "keys", "create"), 2, /no publicUrl is configured/)
  })

  it("is checked by whoever has its public key alone: a task, all tasks, those of an account", async (t) => {
    const { folder, key, run, sign, tasks } = await createHouse(t, { model: PICTURE })
    const [task = ""] = tasks
    assertEnd(await sign("audit", "checkpoint"), 0, /^media\.example\/log\n\d+\n/)
    const proof = await sign("audit", "prove", task)
    assert.equal(proof.code, 0, proof.stderr)
    await writeFile(join(folder, "proof.json"), proof.stdout)
    await writeFile(join(folder, "log.pub"), `${key}\n`)
    for (const given of [key, "log.pub"]) {
      const checked = await run("audit", "check", "proof.json", "--key", given)
      assertEnd(checked, 0, /succeeded\n\d events of task \S+ are in the log of \d+ that media/)
    }
    const selections: Readonly<Record<string, readonly string[]>> = {
      "log.jsonl": [],
      "log.jsonl.zst": [],
      "one.jsonl": ["--account", "default"],
      "none.jsonl": ["--from", "1577836800", "--to", "2021-01-01"],
    }
    for (const [file, selection] of Object.entries(selections)) {
      const written = await sign("audit", "export", "--out", file, ...selection, "--json")
      const { tasks: count } = JSON.parse(written.stdout) as { tasks: number }
      assert.equal(count, file === "none.jsonl" ? 0 : 3, file)
      const checked = await run("audit", "check", file, "--key", key)
      assertEnd(checked, 0, /signed by media\.example\/log: the log had \d+ events\nit is whole\n/)
    }
    assertEnd(await run("audit", "check", "log.jsonl"), 0, /it is whole\n/)
    const exported = await sign("export")
    assertEnd(exported, 0, /safelight-export\.ndjson/)
    const plain = await run("audit", "check", "safelight-export.ndjson", "--key", key)
    assertEnd(plain, 2, /has no checkpoint/)
  })

  it("is left at its beginning where only that is read, compressed and far from its end too", async (t) => {
    const { folder, key, run, sign } = await createHouse(t)
    await sign("audit", "checkpoint")
    await sign("audit", "export")
    const more = randomBytes(4 * 1024 * 1024).toString("base64")
    const log = Buffer.from(`${await readFile(join(folder, "log.jsonl"), "utf8")}${more}\n`)
    await writeFile(join(folder, "log.jsonl.zst"), zstdCompressSync(log))
    const checked = await run("audit", "check", "log.jsonl.zst", "--key", key)
    assertEnd(checked, 2, /line \d+/)
    await writeFile(join(folder, "log.jsonl.zst"), zstdCompressSync(log).subarray(0, 100_000))
    assertEnd(
      await run("audit", "check", "log.jsonl.zst", "--key", key),
      2,
      /unexpected end of file/,
    )
  })

  it("charges what the log charges, once", async (t) => {
    const { key, run, sign } = await createHouse(t)
    await sign("audit", "checkpoint")
    await sign("audit", "export")
    const checked = await run("audit", "check", "log.jsonl", "--key", key, "--json")
    const replayed = await run("audit", "replay", "--json")
    const sums = [checked, replayed].map(
      ({ stdout }) => JSON.parse(stdout) as { chargeMicros: object },
    )
    assert.deepEqual(sums[0]?.chargeMicros, sums[1]?.chargeMicros)
  })

  it("proves each charge of a bill to whoever has the public key alone", async (t) => {
    const { key, run, sign, tasks } = await createHouse(t)
    const month = new Date().toISOString().slice(0, 7)
    const words = ["audit", "bill", "default", month, "--proofs"]
    assertEnd(await run(...words, "--json"), 2, /no checkpoint was signed yet/)
    await sign("audit", "checkpoint")
    assertEnd(await run(...words), 2, /--proofs: proofs are for programs, add --json/)
    const { code, stdout } = await run(...words, "--json")
    assert.equal(code, 0, stdout)
    const { charges, checkpoint } = JSON.parse(stdout) as ProvenBill
    assert.deepEqual(charges.map(({ task }) => task).toSorted(), tasks.toSorted())
    const logKey = parseVerifierKey(sha256, key)
    assert.ok(!isRefusal(logKey) && logKey.type === "note")
    const options = { origin: logKey.name, logKeys: [logKey], verify: verifyEd25519, sha256 }
    for (const { charge_micros: charged, event, proof, task } of charges) {
      const claim = { checkpoint, task, previousHash: event.previous_hash, event: proof }
      const opened = await openEventProof(claim, options)
      assert.ok(!isRefusal(opened), JSON.stringify(opened))
      const { chargeMicros } = JSON.parse(opened.event.data) as { chargeMicros: number }
      assert.deepEqual([chargeMicros, opened.event.hash], [charged, event.hash])
      const altered = { ...proof, data: proof.data.replace(String(charged), String(charged + 1)) }
      assert.ok(isRefusal(await openEventProof({ ...claim, event: altered }, options)))
    }
  })

  it("refuses in words what can't be done", async (t) => {
    const { folder, key, run, sign, tasks } = await createHouse(t)
    const [task = ""] = tasks
    assertEnd(await run("audit", "checkpoint"), 2, /no key is there to sign with/)
    assertEnd(await run("audit", "prove", task), 2, /no key of the log is configured/)
    assertEnd(await sign("audit", "prove", task), 2, /no signed checkpoint has the task yet/)
    assertEnd(await sign("audit", "export"), 2, /no checkpoint was signed yet/)
    await sign("audit", "checkpoint")
    assertEnd(
      await sign("audit", "prove", task.replace(/.$/, "x")),
      2,
      /there is no task with this id/,
    )
    await writeFile(join(folder, "proof.json"), (await sign("audit", "prove", task)).stdout)
    assertEnd(await run("audit", "check", "proof.json"), 2, /--key names the log's public key/)
    assertEnd(
      await run("audit", "check", "nothing", "--key", key),
      2,
      /nothing can't be read \(ENOENT\)/,
    )
    const wrong = await run(
      "audit",
      "check",
      "proof.json",
      "--key",
      "media.example/log+00000000+AAAA",
    )
    assertEnd(wrong, 2, /--key: not a verifier key/)
    await run("audit", "keys", "create", "media.example/log", "--out", "two.key", "--json")
    const other = await run(
      "audit",
      "keys",
      "create",
      "media.example/log",
      "--out",
      "3.key",
      "--json",
    )
    const { public_key: stranger } = JSON.parse(other.stdout) as { public_key: string }
    assertEnd(await run("audit", "check", "proof.json", "--key", stranger), 1, /no trusted key/)
    assertEnd(await run("audit", "consistency", "a", "b"), 2, /--key names the log's public key/)
    assertEnd(await run("audit", "watch", "ftp://x", "--key", key), 2, /expected a URL/)
    const away = await run("audit", "watch", "http://127.0.0.1:1", "--key", key, "--once")
    assertEnd(away, 2, /can't be reached/)
    const environment = { SAFELIGHT_SIGNING_KEY: "PRIVATE+KEY+a+00000000+secretsecret" }
    const broken = await runCommand(["audit", "checkpoint"], { folder, environment })
    assertEnd(broken, 2, /SAFELIGHT_SIGNING_KEY: not a private key/)
    assert.ok(!broken.stderr.includes("secretsecret"))
  })

  it("shows that a task was removed with all its rows, which no other audit sees", async (t) => {
    const { data, key, run, sign, tasks } = await createHouse(t)
    await sign("audit", "checkpoint")
    removeTask(data, tasks[1] ?? "")
    assertEnd(await run("audit", "verify"), 0, /every chain is whole/)
    await sign("audit", "export")
    const checked = await run("audit", "check", "log.jsonl", "--key", key)
    assertEnd(checked, 1, /the checkpoint has 9 events, of which the file has 6\n/)
    assertEnd(await run("audit", "check", "log.jsonl"), 0, /it is whole/)
  })

  it("is proved to extend an earlier checkpoint, and not to begin with another", async (t) => {
    const { data, folder, key, sign } = await createHouse(t)
    await writeFile(join(folder, "one"), (await sign("audit", "checkpoint")).stdout)
    await recordTasks(data, [edit(1)])
    await writeFile(join(folder, "two"), (await sign("audit", "checkpoint")).stdout)
    assertEnd(await sign("audit", "consistency", "one", "two"), 0, /extends that of \d+\n/)
    assertEnd(await sign("audit", "consistency", "two", "one"), 2, /only \d+/)
    assertEnd(await sign("audit", "consistency", "one", "one", "--key", key), 0, /extends/)
    // The same key over another history.
    const other = join(folder, "other")
    await recordTasks(other, [edit(1), edit(1), edit(1), edit(1), edit(1)])
    await writeFile(
      join(folder, "fork"),
      (await sign("audit", "checkpoint", "--data", other)).stdout,
    )
    assertEnd(await sign("audit", "consistency", "one", "fork"), 1, /does not prove/)
  })

  it("signs nothing over a database that was set back, if a copy is elsewhere", async (t) => {
    const { data, folder, sign } = await createHouse(t)
    const backup = join(folder, "backup")
    await cp(data, backup, { recursive: true })
    await recordTasks(data, [edit(1)])
    const settings = { checkpoints: { copies: ["kept.jsonl"] } }
    await writeFile(join(folder, "safelight.config.json"), JSON.stringify(settings))
    assert.equal((await sign("audit", "checkpoint")).code, 0)
    const refused = await sign("audit", "checkpoint", "--data", backup)
    assertEnd(
      refused,
      1,
      /nothing was signed: a checkpoint of \d+ events was signed, and the tree has \d+/,
    )
    // A line that a crash has cut off changes nothing, and is no checkpoint.
    const path = join(folder, "kept.jsonl")
    await writeFile(path, `${await readFile(path, "utf8")}{"at":1,"si`)
    assert.equal((await sign("audit", "checkpoint", "--data", backup)).code, 1)
    await recordTasks(data, [edit(1)])
    assert.equal((await sign("audit", "checkpoint")).code, 0)
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n")
    assert.equal(lines.length, 3)
    assert.ok(JSON.parse(lines.at(-1) ?? "").size > JSON.parse(lines[0] ?? "").size)
    await mkdir(join(folder, "empty"))
    await writeFile(path, "no checkpoint\n")
    assertEnd(await sign("audit", "checkpoint"), 2, /kept\.jsonl holds no checkpoint/)
  })

  for (const name of ["log.jsonl", "log.jsonl.zst"]) {
    it(`is written on from what an earlier try has left of ${name}, wherever it was cut off`, async (t) => {
      const { data, folder, key, run, sign } = await createHouse(t)
      const more = Array.from({ length: 20 }, () => edit(1))
      await recordTasks(data, more)
      assert.equal((await sign("audit", "checkpoint")).code, 0)
      const write = (...words: readonly string[]) =>
        run("audit", "export", "--out", name, "--json", ...words)
      assert.equal((await write()).code, 0)
      const [path, partial] = [join(folder, name), join(folder, `${name}.partial`)]
      const whole = await readFile(path)
      await rm(path)
      // The tree goes on, and what is left keeps its checkpoint.
      await recordTasks(data, [edit(1)])
      assert.equal((await sign("audit", "checkpoint")).code, 0)
      const sizes: number[] = []
      for (const share of [0, 0.2, 0.5, 0.8, 1]) {
        await writeFile(partial, whole.subarray(0, Math.floor(whole.length * share)))
        const written = await write("--resume")
        assert.equal(written.code, 0, written.stderr)
        const { resumed_tasks: resumed, tasks } = JSON.parse(written.stdout)
        assert.equal(tasks, resumed > 0 ? 23 : 24, `${share}`)
        sizes.push(resumed)
        assertEnd(await run("audit", "check", name, "--key", key), 0, /it is whole\n/)
        await rm(path)
        assert.deepEqual(
          (await readdir(folder)).filter((each) => each.startsWith("log.jsonl")),
          [],
        )
      }
      assert.deepEqual([sizes[0], sizes.at(-1)], [0, 23])
      if (!name.endsWith(".zst")) assert.ok(new Set(sizes).size > 3, sizes.join(" "))
    })
  }

  it("is not written on from what is of another export, or was altered", async (t) => {
    const { folder, run, sign, tasks } = await createHouse(t)
    assert.equal((await sign("audit", "checkpoint")).code, 0)
    assert.equal((await run("audit", "export")).code, 0)
    const path = join(folder, "log.jsonl")
    const lines = (await readFile(path, "utf8")).split(/(?<=\n)/)
    await rm(path)
    const leave = (content: string) => writeFile(`${path}.partial`, content)
    const resume = (...words: readonly string[]) => run("audit", "export", "--resume", ...words)
    await leave(lines.slice(0, 4).join(""))
    assertEnd(await resume("--account", "default"), 2, /log\.jsonl\.left is of other tasks/)
    const [header = "", checkpoint = "", first = "", ...rest] = lines
    await leave(header + checkpoint.replace("media", "other") + first)
    await rm(`${path}.left`)
    assertEnd(await resume(), 2, /under a checkpoint that this database does not have/)
    await rm(`${path}.left`)
    await leave(header + checkpoint.replace(/\\n\d+\\n/, "\\nnone\\n") + first)
    assertEnd(await resume(), 2, /under a checkpoint that this database does not have/)
    await rm(`${path}.left`)
    await leave(header + checkpoint + first.replace(/"at":\d+/, '"at":1') + rest.join(""))
    assertEnd(await resume(), 2, new RegExp(`task ${tasks[0]}.*it can't be exported`))
    // It stays for whoever wants to look at it; without it all is written anew.
    await rm(`${path}.left`)
    assertEnd(await resume(), 0, /3 tasks, \d+ events, under a checkpoint of \d+\n/)
  })

  it("leaves what it wrote where it can't go on, if it is to be gone on from", async (t) => {
    const { data, folder, run, sign } = await createHouse(t)
    assert.equal((await sign("audit", "checkpoint")).code, 0)
    const database = new DatabaseSync(join(data, "safelight.db"))
    t.after(() => database.close())
    database.exec("drop trigger events_refuse_update")
    database.exec("update events set at = at + 1 where task = (select max(task) from events)")
    assertEnd(await run("audit", "export"), 2, /it can't be exported/)
    assert.ok(!(await readdir(folder)).includes("log.jsonl.partial"))
    assertEnd(await run("audit", "export", "--resume"), 2, /it can't be exported/)
    assert.ok((await readdir(folder)).includes("log.jsonl.partial"))
  })

  it("is told as a checkpoint has it, whatever came later", async (t) => {
    const { data, folder, run, sign } = await createHouse(t)
    const signed = await sign("audit", "checkpoint")
    const size = signed.stdout.split("\n")[1] ?? ""
    await recordTasks(data, [edit(1), edit(2)])
    assert.equal((await sign("audit", "checkpoint")).code, 0)
    const told = await run("audit", "replay", "--size", size, "--out", "then.db", "--json")
    assert.equal(told.code, 0, told.stderr)
    const { events, tasks, untilAt, untilSize } = JSON.parse(told.stdout)
    assert.deepEqual([events, tasks, untilAt, untilSize], [Number(size), 3, null, Number(size)])
    const state = new DatabaseSync(join(folder, "then.db"), { readOnly: true })
    const about = state.prepare("select until_size, tasks from about").get()
    state.close()
    assert.deepEqual({ ...about }, { until_size: Number(size), tasks: 3 })
    assertEnd(
      await run("audit", "replay", "--size", size),
      0,
      /^as it stood in the tree of \d+ events\n/,
    )
    const both = await run("audit", "replay", "--size", size, "--until", "2026-01-01")
    assertEnd(both, 2, /give either --until or --size/)
    assertEnd(await run("audit", "replay", "--size", "999"), 2, /the tree has \d+ events/)
  })

  it("keeps each checkpoint in a bucket, and signs nothing that contradicts the newest there", async (t) => {
    const { data, folder, run } = await createHouse(t)
    const server = await startS3rver()
    t.after(() => server[Symbol.asyncDispose]())
    const { bucket, endpoint } = server.options
    const environment = {
      SAFELIGHT_SIGNING_KEY_FILE: "safelight-signing.key",
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
    }
    const sign = (...words: readonly string[]) =>
      runCommand(["audit", "checkpoint", ...words], { folder, environment })
    const configure = (place: string) =>
      writeFile(
        join(folder, "safelight.config.json"),
        JSON.stringify({ checkpoints: { copies: [place] } }),
      )
    const backup = join(folder, "backup")
    await cp(data, backup, { recursive: true })
    await configure(`s3://${bucket}/log?endpoint=${endpoint}&region=us-east-1`)
    const notes: string[] = []
    // Nine events and more: the order of sizes is not that of their digits.
    for (let count = 0; count < 3; count += 1) {
      await recordTasks(data, [edit(1)])
      const signed = await sign()
      assert.equal(signed.code, 0, signed.stderr)
      notes.push(signed.stdout)
    }
    assertEnd(await sign("--data", backup), 1, /nothing was signed: a checkpoint of \d+ events was/)
    const objects = createS3Objects({ ...server.options, prefix: "log" })
    const kept: string[] = []
    for await (const key of objects.list("checkpoints/")) {
      const reader = await objects.open({ key, start: 0 })
      assert.ok(reader !== "past-end")
      const bytes = Buffer.alloc(reader.totalBytes)
      await reader.read(bytes)
      await reader.close()
      kept.push(bytes.toString())
    }
    assert.deepEqual(kept, notes.toReversed())
    await objects.storeIfAbsent("checkpoints/000000000000000", Buffer.from("no checkpoint"))
    assertEnd(await sign(), 1, /nothing was signed: the note has no signatures/)
    await configure("s3://user:secret@bucket")
    assertEnd(await run("audit", "checkpoint"), 2, /no key is there to sign with/)
    assertEnd(await sign(), 2, /checkpoints\.copies must hold no user name or password/)
  })

  it("sends each checkpoint to an address once, and says if that did not take it", async (t) => {
    const { folder, sign } = await createHouse(t)
    const taken: string[] = []
    let status = 204
    async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const body = await text(request)
      if (status === 204) taken.push(`${request.method} ${request.url} ${body}`)
      response.writeHead(status).end()
    }
    const receiver = createServer((request, response) => void take(request, response))
    receiver.listen(0, "127.0.0.1")
    await once(receiver, "listening")
    t.after(() => receiver.close())
    const { port } = receiver.address() as AddressInfo
    // Schemes have no case.
    const settings = { checkpoints: { copies: [`HTTP://127.0.0.1:${port}/kept`] } }
    await writeFile(join(folder, "safelight.config.json"), JSON.stringify(settings))
    status = 503
    assertEnd(await sign("audit", "checkpoint"), 2, /signed, and could not be copied to HTTP:/)
    status = 204
    const { stdout: note } = await sign("audit", "checkpoint")
    assert.deepEqual(taken, [`POST /kept ${note}`])
  })

  it("steers no terminal, whatever its operator has signed", async (t) => {
    const { folder, key, run } = await createHouse(t)
    const secret = await readFile(join(folder, "safelight-signing.key"), "utf8")
    const signer = openSignerKey(secret.trim())
    assert.ok(!isRefusal(signer))
    const tree = createTreeHash(sha256)
    const event = {
      at: 1,
      data: "{}",
      schema: 1,
      task: "a\u001b[2Jtask",
      type: "x\u009b2J",
      version: 1,
    }
    const hash = hashEvent(digest, GENESIS_HASH, event)
    const root = hashEventEntry(tree, { ...event, hash })
    const { name: origin } = signer.key
    const checkpoint = await signCheckpoint({ origin, size: 1, root, extensions: [] }, [signer], 1)
    const events = [{ ...event, hash, index: 0, proof: [] }]
    const proof = { format: "safelight-proof", version: 1, task: event.task, checkpoint, events }
    await writeFile(join(folder, "proof.json"), JSON.stringify(proof))
    const checked = await run("audit", "check", "proof.json", "--key", key)
    assertEnd(checked, 0, /^1 {2}1970-01-01T00:00:00.001Z {2}x 2J\n1 events of task a \[2Jtask are/)
    // oxlint-disable-next-line no-control-regex -- these must not be there
    assert.doesNotMatch(checked.stdout.replaceAll("\n", ""), /[\u0000-\u001f\u007f-\u009f]/)
    const python = findPython("json")
    if (python === undefined) return t.skip("no Python")
    const options = { cwd: folder, env: process.env }
    const { stdout } = await runPython(python, [CHECKER, "proof.json", "--key", key], options)
    assert.match(stdout, /x 2J can't follow here/)
    // oxlint-disable-next-line no-control-regex -- see above
    assert.doesNotMatch(stdout.replaceAll("\n", ""), /[\u0000-\u001f\u007f-\u009f]/)
  })
})

describe("a service with a signing key", () => {
  it("signs when it starts, shows it, and is watched until it contradicts itself", async (t) => {
    const { data, folder, key, run } = await createHouse(t)
    const backup = join(folder, "backup")
    await cp(data, backup, { recursive: true })
    await recordTasks(data, [edit(1)])
    const signingKey = await readFile(join(folder, "safelight-signing.key"), "utf8")
    const watch = (url: string) =>
      run("audit", "watch", url, "--key", key, "--state", "seen", "--once")
    const checkpoints = { signingKey }
    await withService({ data, checkpoints }, async ({ url }) => {
      await until(async () => (await fetch(`${url}/log/checkpoint`)).ok)
      const shown = await (await fetch(`${url}/.well-known/safelight-log.json`)).json()
      assert.deepEqual((shown as { keys: unknown }).keys, [key])
      assertEnd(await watch(url), 0, /^\d+ events\n$/)
      assertEnd(await watch(url), 0, /^$/)
    })
    const seen = await readFile(join(folder, "seen"), "utf8")
    await withService({ data: backup, checkpoints }, async ({ url }) => {
      await until(async () => (await fetch(`${url}/log/checkpoint`)).ok)
      const shrunk = await watch(url)
      assertEnd(shrunk, 1, /the log had \d+ events, and now has \d+/)
      assert.ok(shrunk.stdout.includes(seen))
      assert.equal(shrunk.stdout.split("media.example/log\n").length, 3)
    })
    // Another history, which is longer.
    await recordTasks(backup, [edit(1), edit(1), edit(1)])
    await withService({ data: backup, checkpoints }, async ({ url }) => {
      await until(async () => (await readSize(url)) > toSize(seen))
      assertEnd(await watch(url), 1, /does not extend the one of \d+ that was seen before/)
    })
  })

  it("proves a task to its account, who checks it alone and learns nothing of the operator's", async (t) => {
    const { data, folder, key, run, sign, tasks } = await createHouse(t)
    await sign("audit", "checkpoint")
    const made = await run("keys", "create", "--account", "default", "--json")
    const { key: apiKey } = JSON.parse(made.stdout) as { key: string }
    const headers = { authorization: `Bearer ${apiKey}` }
    await withService({ data, checkpoints: { keys: [key] } }, async ({ url }) => {
      const answer = await fetch(`${url}/v1/tasks/${tasks[0]}/proof`, { headers })
      await writeFile(join(folder, "proof.json"), await answer.text())
    })
    const proof = await readFile(join(folder, "proof.json"), "utf8")
    for (const word of ["cost", "lease", "locator", "upstreamKey", "salt"]) {
      assert.ok(!proof.includes(word), word)
    }
    assertEnd(await run("audit", "check", "proof.json", "--key", key), 0, /succeeded\n\d events of/)
    const python = findPython("json")
    if (python === undefined) return t.skip("no Python")
    const options = { cwd: folder, env: process.env }
    const end = await runPython(python, [CHECKER, "proof.json", "--key", key], options)
    assert.deepEqual([end.code, end.stdout], [0, "whole: 1 tasks, 3 events\n"])
  })

  it("shows its log without the secret where it has the public key alone", async (t) => {
    const { data, key, sign } = await createHouse(t)
    const { stdout: note } = await sign("audit", "checkpoint")
    await withService({ data, checkpoints: { keys: [key] } }, async ({ url }) => {
      assert.equal(await (await fetch(`${url}/log/checkpoint`)).text(), note)
    })
    for (const [checkpoints, words] of [
      [{ keys: ["nothing"] }, /checkpoints\.keys\[0\]: not a verifier key/],
      [{ signingKey: "nothing" }, /SAFELIGHT_SIGNING_KEY: not a private key/],
    ] as const) {
      await assert.rejects(
        withService({ data, checkpoints }, async () => {}),
        words,
      )
    }
  })
})

const toSize = (note: string): number => Number(note.split("\n")[1])

async function readSize(url: string): Promise<number> {
  return toSize(await (await fetch(`${url}/log/checkpoint`)).text())
}

/** As somebody would who has the database. */
function removeTask(data: string, task: string): void {
  let removed = 0
  const database = new DatabaseSync(join(data, "safelight.db"))
  const names = database
    .prepare("select name from sqlite_master where type = 'trigger'")
    .all()
    .map(({ name }) => String(name))
  for (const name of names) database.exec(`drop trigger "${name}"`)
  const columns = database
    .prepare(
      "select m.name as tab, c.name as col from sqlite_master m, pragma_table_info(m.name) c",
    )
    .all()
  const ofTasks = columns.filter(
    ({ col, tab }) => col === "task" || (tab === "tasks" && col === "id"),
  )
  for (const { col, tab } of ofTasks) {
    const { changes } = database
      .prepare(`delete from "${String(tab)}" where "${String(col)}" = ?`)
      .run(task)
    removed += Number(changes)
  }
  database.close()
  assert.ok(removed > 5, "nothing was removed")
}
