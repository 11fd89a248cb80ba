/**
 * What becomes of files that were made to do harm, of processes that die, that were taken over or
 * can't be started, and of reads and signals: the medium at hand fails by it and no other does.
 */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, test } from "node:test"
import type { InspectedMedia } from "@safelight/core"
import { createMediaInspector } from "@safelight/media-inspector"
import { createManualClock } from "@safelight/testkit"
import { MEDIA_HEADS } from "../../support/media-heads.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { createSampleTableBomb, LOOPING_WEBM } from "../channel-studio/hostile-media.ts"
import { createInspector, toMedia } from "./inspect.ts"
import { createFilm, createWav } from "./sample-media.ts"
import { listMeasuringWorkers as listWorkers } from "../../support/worker-processes.ts"
import { WORKER_SPEECH } from "../../support/worker-speech.ts"
import { until } from "../../support/until.ts"

const MIB = 1024 * 1024
const UNREADABLE = { code: "media_unreadable", retryable: false }
const UNAVAILABLE = { code: "inspector-unavailable", retryable: true }
const WAV = createWav(1)
/** Large enough that `inspectMs` is its time. */
const LOOPING_MEDIUM = padLooping(MIB)

function padLooping(bytes: number): Buffer {
  return Buffer.concat([LOOPING_WEBM, Buffer.alloc(bytes - LOOPING_WEBM.byteLength)])
}

/** Reads of `WAV` that do something first, from the first one of a process on. */
function onQuestion(act: () => unknown): Partial<InspectedMedia> {
  let reads = 0
  return {
    read: async (start, end) => {
      reads += 1
      if (reads > 1) await act()
      return WAV.subarray(start, end)
    },
  }
}

function countReads(bytes: Uint8Array): Pick<InspectedMedia, "read"> & { reads(): number } {
  let reads = 0
  return {
    read: async (start, end) => {
      reads += 1
      return bytes.subarray(start, end)
    },
    reads: () => reads,
  }
}

async function measures(look: (bytes: Uint8Array) => Promise<unknown>): Promise<void> {
  const expected = { kind: "audio", mimeType: "audio/wav", durationMs: 1_000 }
  assert.deepEqual(await look(WAV), expected)
}

describe("a file made to do harm", () => {
  test("that takes all memory is unreadable, the host keeps its own, and others go on", async (t) => {
    const inspector = createInspector(t, { processes: 1, inspectMs: 600_000 })
    const bomb = await createSampleTableBomb()
    const before = process.memoryUsage().rss
    await assert.rejects(inspector.look(bomb), UNREADABLE)
    const grownBytes = process.memoryUsage().rss - before
    assert.ok(grownBytes < 80 * MIB, `${Math.round(grownBytes / MIB)} MiB more`)
    await measures(inspector.look)
  })

  test("that takes all memory outside of the engine's own heap costs the process too", async (t) => {
    const inspector = createInspector(t, { memoryBytes: 128 * MIB, inspectMs: 600_000 })
    const bytes = 400 * MIB
    // One box that claims all the rest.
    const head = Buffer.concat([MEDIA_HEADS.mp4, Buffer.alloc(8)])
    head.writeUInt32BE(bytes - MEDIA_HEADS.mp4.byteLength, MEDIA_HEADS.mp4.byteLength)
    head.write("moov", MEDIA_HEADS.mp4.byteLength + 4)
    const read = async (start: number, end: number): Promise<Uint8Array> => {
      const range = Buffer.alloc(end - start)
      head.copy(range, 0, Math.min(start, head.byteLength), Math.min(end, head.byteLength))
      return range
    }
    await assert.rejects(inspector.look(head, { bytes, read }), UNREADABLE)
    assert.deepEqual(listWorkers(), [])
  })

  test("that is parsed for ever is unreadable once its time is over, and others go on", async (t) => {
    const inspector = createInspector(t, { processes: 1, inspectMs: 1_500 })
    await measures(inspector.look)
    const [worker] = listWorkers()
    await assert.rejects(inspector.look(LOOPING_WEBM), UNREADABLE)
    assert.deepEqual(listWorkers(), [])
    await measures(inspector.look)
    assert.notDeepEqual(listWorkers(), [worker])
  })

  test("holds a process for three seconds if it is small, and for its whole time if not", async (t) => {
    for (const [bytes, workMs] of [
      [MIB - 1, 3_000],
      [MIB, 10_000],
    ] as const) {
      const clock = createManualClock()
      const inspector = createInspector(t, { processes: 1, clock })
      const film = padLooping(bytes)
      const reads = countReads(film)
      let isOver = false
      const look = inspector.look(film, reads).catch((error: unknown) => {
        isOver = true
        throw error
      })
      const refused = assert.rejects(look, UNREADABLE)
      await until(() => reads.reads() === 2 && clock.pendingWaits() === 1)
      await clock.advance(workMs - 1)
      assert.equal(isOver, false)
      await clock.advance(1)
      await refused
    }
  })

  test("keeps no other account's medium waiting, however many of them wait", async (t) => {
    // Their time is never over.
    const inspector = createInspector(t, { processes: 2, clock: createManualClock() })
    const called = new AbortController()
    const { signal } = called
    const films = Array.from({ length: 15 }, () => inspector.look(LOOPING_WEBM, { signal }))
    const ended = Promise.allSettled(films)
    await until(() => listWorkers().length === 2)
    await measures((bytes) => inspector.look(bytes, { account: "bob" }))
    called.abort()
    for (const { status } of await ended) assert.equal(status, "rejected")
  })

  test("that is merely broken costs no process", async (t) => {
    const inspector = createInspector(t)
    await measures(inspector.look)
    const workers = listWorkers()
    const film = await createFilm({ format: "mp4" })
    await assert.rejects(inspector.look(film.subarray(0, 100)), UNREADABLE)
    await measures(inspector.look)
    assert.deepEqual(listWorkers(), workers)
  })
})

test("what the host takes to read is not the process's time", async (t) => {
  const clock = createManualClock()
  const inspector = createInspector(t, { clock })
  await measures((bytes) =>
    inspector.look(
      bytes,
      onQuestion(() => clock.advance(3_600_000)),
    ),
  )
  assert.equal(clock.pendingWaits(), 0)
})

describe("a read", () => {
  test("that rejects is passed on, from the first or any other one, and others go on", async (t) => {
    const inspector = createInspector(t, { processes: 1 })
    const error = new Error("the disk is gone")
    const fail = (): never => {
      throw error
    }
    await assert.rejects(inspector.look(WAV, { read: async () => fail() }), error)
    assert.deepEqual(listWorkers(), [])
    await assert.rejects(inspector.look(WAV, onQuestion(fail)), error)
    await measures(inspector.look)
  })

  test("that gives too little is nobody's medium", async (t) => {
    const read = async (): Promise<Uint8Array> => WAV.subarray(0, 50)
    await assert.rejects(createInspector(t).look(WAV, { read }), /gave 50 bytes instead of 4100/)
  })
})

describe("a signal", () => {
  const ABORTED = { code: "aborted" }

  test("ends an inspection at once: before it, in a read, in a parser, in the queue", async (t) => {
    const inspector = createInspector(t, { processes: 1, inspectMs: 600_000 })
    const never = (): Promise<never> => new Promise(() => {})
    await assert.rejects(inspector.look(WAV, { signal: AbortSignal.abort() }), ABORTED)

    const inFirstRead = new AbortController()
    const first = inspector.look(WAV, { read: never, signal: inFirstRead.signal })
    inFirstRead.abort()
    await assert.rejects(first, ABORTED)

    const inRead = new AbortController()
    const { signal } = inRead
    const second = inspector.look(WAV, { ...onQuestion(() => (inRead.abort(), never())), signal })
    await assert.rejects(second, ABORTED)
    assert.deepEqual(listWorkers(), [])

    const [inParser, inQueue] = [new AbortController(), new AbortController()]
    const [inParserReads, inQueueReads] = [countReads(LOOPING_MEDIUM), countReads(WAV)]
    const third = inspector.look(LOOPING_MEDIUM, { ...inParserReads, signal: inParser.signal })
    // What it is asked for after its first bytes is all that there is.
    await until(() => inParserReads.reads() === 2)
    const fourth = inspector.look(WAV, { ...inQueueReads, signal: inQueue.signal })
    await until(() => inQueueReads.reads() === 1)
    // Its type is told by then, and it waits for a process.
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
    inQueue.abort()
    await assert.rejects(fourth, ABORTED)
    inParser.abort()
    await assert.rejects(third, ABORTED)
    assert.deepEqual(listWorkers(), [])
    await measures(inspector.look)
  })

  test("of the group of processes leaves what is measured to its end", async (t) => {
    const inspector = createInspector(t)
    await measures(inspector.look)
    const workers = listWorkers()
    const signalAll = (): void => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
        for (const worker of workers) process.kill(worker, signal)
      }
    }
    await measures((bytes) => inspector.look(bytes, onQuestion(signalAll)))
    assert.equal(workers.length, 1)
    assert.deepEqual(listWorkers(), workers)
  })
})

describe("processes", () => {
  test("are started when they are needed, reused, and never more than allowed", async (t) => {
    const inspector = createInspector(t, { processes: 2 })
    await measures(inspector.look)
    const [first] = listWorkers()
    await measures(inspector.look)
    assert.deepEqual(listWorkers(), [first])
    let atOnce = 0
    let most = 0
    const together = Array.from({ length: 5 }, () =>
      measures((bytes) =>
        inspector.look(
          bytes,
          onQuestion(async () => {
            atOnce += 1
            most = Math.max(most, atOnce)
            await until(() => most === 2)
            await new Promise((resolve) => setImmediate(resolve))
            atOnce -= 1
          }),
        ),
      ),
    )
    await Promise.all(together)
    assert.equal(most, 2)
    assert.equal(listWorkers().length, 2)
    assert.ok(first !== undefined && listWorkers().includes(first))
  })

  test("that were killed are replaced: while idle, and once in the middle of a medium", async (t) => {
    const inspector = createInspector(t)
    const kill = (): void => listWorkers().forEach((worker) => process.kill(worker, "SIGKILL"))
    await measures(inspector.look)
    kill()
    await measures(inspector.look)
    let kills = 0
    await measures((bytes) =>
      inspector.look(
        bytes,
        onQuestion(() => (kills += 1) === 1 && kill()),
      ),
    )
    assert.ok(kills > 1)
    await assert.rejects(inspector.look(WAV, onQuestion(kill)), UNREADABLE)
    await measures(inspector.look)
  })

  test("end with the inspector, the idle ones too, and it refuses what it is asked afterwards", async () => {
    const idle = createMediaInspector()
    await measures((bytes) => idle.inspect(toMedia(bytes)))
    assert.equal(listWorkers().length, 1)
    await idle.close()
    assert.deepEqual(listWorkers(), [])
    const inspector = createMediaInspector({ inspectMs: 600_000 })
    const underWay = inspector.inspect(toMedia(LOOPING_MEDIUM))
    await until(() => listWorkers().length === 1)
    const closed = inspector.close()
    await assert.rejects(underWay, { code: "aborted" })
    await closed
    assert.deepEqual(listWorkers(), [])
    await assert.rejects(inspector.inspect(toMedia(WAV)), { code: "aborted" })
    await inspector.close()
  })

  const skip = existsSync("/proc/self/environ") ? false : "only Linux shows what a process has"
  test("know no secret, and end with their host in the middle of a loop", { skip }, async (t) => {
    const script = `
      import { createMediaInspector } from "@safelight/media-inspector"
      const start = Buffer.from("${LOOPING_WEBM.toString("base64")}", "base64")
      const film = Buffer.concat([start, Buffer.alloc(${MIB})])
      const { signal } = new AbortController()
      const read = async (start, end) => film.subarray(start, end)
      const inspector = createMediaInspector({ inspectMs: 600_000 })
      await inspector.inspect({ account: "alice", bytes: film.byteLength, kinds: ["video"], read, signal })`
    const flags = ["--conditions=@safelight/source", "--input-type=module", "--eval", script]
    const env = { ...process.env, SAFELIGHT_DATABASE_URL: "postgres://user:hunter2@db/x" }
    const host = spawn(process.execPath, flags, { cwd: import.meta.dirname, env, stdio: "ignore" })
    t.after(() => host.kill("SIGKILL"))
    const exited = once(host, "exit")
    await until(() => listWorkers(host.pid).length === 1)
    const [worker] = listWorkers(host.pid)
    // In its loop: it has used a second of a processor.
    await until(() => Number(readFileSync(`/proc/${worker}/stat`, "utf8").split(" ")[13]) > 100)
    assert.doesNotMatch(readFileSync(`/proc/${worker}/environ`, "latin1"), /hunter2|SAFELIGHT/)
    host.kill("SIGKILL")
    await exited
    await until(() => !existsSync(`/proc/${worker}/exe`))
  })
})

test("an idle process keeps no host alive", async (t) => {
  const script = `
    import { createMediaInspector } from "@safelight/media-inspector"
    const wav = Buffer.from("${WAV.toString("base64")}", "base64")
    const { signal } = new AbortController()
    const read = async (start, end) => wav.subarray(start, end)
    const facts = await createMediaInspector().inspect({ account: "alice", bytes: wav.length, kinds: ["audio"], read, signal })
    process.exitCode = facts.durationMs === 1000 ? 7 : 1`
  const flags = ["--conditions=@safelight/source", "--input-type=module", "--eval", script]
  const host = spawn(process.execPath, flags, { cwd: import.meta.dirname, stdio: "ignore" })
  t.after(() => host.kill("SIGKILL"))
  assert.deepEqual(await once(host, "exit"), [7, null])
})

const onWindows = process.platform === "win32" ? "Windows has no such programs" : false

describe("a process that was taken over or can't be started", { skip: onWindows }, () => {
  const { execPath } = process
  afterEach(() => {
    process.execPath = execPath
  })

  const SAY = `${WORKER_SPEECH}
    const begin = () => say({ kind: "begun" })
    const ask = (start, end) => say({ kind: "ask", start, end })
    const measured = (mediaKind, durationMs) => say({ kind: "measured", mediaKind, durationMs, width: 0, height: 0 })
    const hang = () => setInterval(() => {}, 1000)
    const ignore = () => pipe.on("data", () => {}).on("error", () => {})\n`

  const BAD = [NaN, -1, 0.5, 1e300]
  const PROGRAMS: Readonly<Record<string, readonly [string, object]>> = {
    "can't be started": ["", UNAVAILABLE],
    "ends before it has begun": ["process.exit(3)", UNAVAILABLE],
    "speaks before it has begun": ['say({ kind: "unreadable" }); hang()', UNAVAILABLE],
    "asks for ever": [
      `ignore(); begin(); (async () => { for (;;) { try { ask(0, 1) } catch {}; await null; if (Math.random() < 0.1) await new Promise(setImmediate) } })()`,
      UNREADABLE,
    ],
    "reads no answer": ["begin(); for (;;) { try { ask(0, 16044) } catch {} }", UNREADABLE],
    "asks beyond the end": ["begin(); ask(0, 16045); hang()", UNREADABLE],
    "asks for nothing": ["begin(); ask(5, 5); hang()", UNREADABLE],
    "says what means nothing": ['begin(); say({ kind: "other" }); hang()', UNREADABLE],
    "says more than fits a message": [
      'begin(); say({ kind: "unreadable", more: "x".repeat(16 * 1024) }); hang()',
      UNREADABLE,
    ],
    "says what is no JSON": [
      'begin(); require("node:fs").writeSync(3, Buffer.from([0, 0, 0, 1, 0x7b])); hang()',
      UNREADABLE,
    ],
    "measures an image": ['begin(); measured("image", 1000); hang()', UNREADABLE],
    "measures a kind that it can't be": ['begin(); measured("video", 1000); hang()', UNREADABLE],
    ...Object.fromEntries(
      BAD.flatMap((value) => [
        [`measures ${value} ms`, [`begin(); measured("audio", ${value}); hang()`, UNREADABLE]],
        [`asks from ${value}`, [`begin(); ask(${value}, 9); hang()`, UNREADABLE]],
      ]),
    ),
  }

  for (const [name, [program, fault]] of Object.entries(PROGRAMS)) {
    test(`that ${name} is not believed, and ended`, async (t) => {
      await using folder = await createTemporaryFolder()
      const inspector = createInspector(t, { processes: 1, inspectMs: 2_000 })
      process.execPath = join(folder.path, "program")
      if (program !== "") {
        await writeFile(process.execPath, `#!${execPath}\n${SAY}${program}\n`)
        await chmod(process.execPath, 0o700)
      }
      let reads = 0
      const before = process.memoryUsage().rss
      const read = async (start: number, end: number): Promise<Uint8Array> => {
        reads += 1
        assert.ok(start >= 0 && end <= WAV.byteLength, `${start} to ${end}`)
        return WAV.subarray(start, end)
      }
      await assert.rejects(inspector.look(WAV, { read }), fault)
      // What 16 MiB buy at 64 KiB each, by two processes at most.
      assert.ok(reads < 600, `${reads} reads`)
      assert.ok(process.memoryUsage().rss - before < 80 * MIB)
      assert.deepEqual(listWorkers(), [])
      process.execPath = execPath
      await measures(inspector.look)
    })
  }
})
