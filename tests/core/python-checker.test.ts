/**
 * check.py, which a stranger runs: on whatever is done to an export it says the same as ours.
 */
import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { checkExport } from "@safelight/audit"
import { hashEvent, toCanonicalJson, type StoredEvent } from "@safelight/core"
import * as fc from "fast-check"
import { checkAsync } from "./support/property.ts"
import { checkByPython, skip } from "./support/python-checker.ts"
import { sha256 } from "./support/sha256.ts"
import {
  createTransferSource,
  exportLines,
  NOW,
  resign,
  toFile,
} from "./support/transfer-source.ts"

async function isTaken(lines: readonly string[]): Promise<boolean> {
  return checkExport({ open: toFile(lines), digest: sha256, now: NOW }).then(
    () => true,
    () => false,
  )
}

interface Stream {
  readonly kind: string
  readonly task: string
  events: (Omit<StoredEvent, "sealed" | "task"> & { readonly sealed?: string | undefined })[]
}

type Tampering = (stream: Stream, at: number) => void

/** Each changes events of a stream so that its chain, or what it says, is wrong. */
const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  "another character in its data": change(({ data }) => ({ data: data.replace(/[a-z}]/, "Z") })),
  "another moment": change(({ at }) => ({ at: at + 1 })),
  "another type": change(({ type }) => ({ type: type === "held" ? "expired" : "held" })),
  "another schema": change(({ schema }) => ({ schema: schema + 1 })),
  "another version": change(({ version }) => ({ version: version + 1 })),
  "another hash": change(({ hash }) => ({ hash: hash.replace(/[0-8]/, "9") })),
  "an event twice": (stream, at) => {
    stream.events.splice(at, 0, { ...pick(stream, at) })
  },
  "an event less": (stream, at) => {
    // Without its last event a chain is whole.
    stream.events.splice(stream.events.length === 1 ? 0 : at % (stream.events.length - 1), 1)
  },
  "a sealed text that is altered, or is none": change(({ sealed = "{}" }) => ({
    sealed: sealed.replace(/[a-z]/, "Z"),
  })),
  "a sealed text that was taken away, or is none": change(({ sealed }) => ({
    sealed: sealed === undefined ? "{}" : undefined,
  })),
  "a sealed text taken away, or put in, and sealed again": reseal(({ sealed }) => ({
    sealed: sealed === undefined ? `{"salt":"${"a".repeat(22)}"}` : undefined,
  })),
  "a member more in what is sealed, sealed again": reseal(({ sealed = "{}" }) => ({
    sealed: toCanonicalJson({ ...(JSON.parse(sealed) as object), extra: 1 }),
  })),
  "a short salt, sealed again": reseal(({ sealed = "{}" }) => ({
    sealed: toCanonicalJson({ ...(JSON.parse(sealed) as object), salt: "short" }),
  })),
  "what is sealed shown as well, or a space, sealed again": reseal(({ data, sealed }) => ({
    data: sealed === undefined ? `${data} ` : toUnited(data, sealed),
  })),
  "spaces in what is sealed, or in its data, sealed again": reseal(({ data, sealed }) =>
    sealed === undefined ? { data: `${data} ` } : { sealed: `${sealed} ` },
  ),
  "a locator less, or a space, sealed again": reseal(({ data, sealed = "{}", type }) => {
    const hidden = JSON.parse(sealed) as { readonly locators?: string[] }
    const locators = hidden.locators?.slice(1)
    const changed = { sealed: toCanonicalJson({ ...hidden, locators }) }
    return type === "succeeded" ? changed : { data: `${data} ` }
  }),
  "a locator shown, or a space, sealed again": reseal(({ data }) => ({
    data: data.includes('"key"')
      ? data.replace('"mimeType"', '"locator":"l","mimeType"')
      : `${data} `,
  })),
  "another reason than is told, or a space, sealed again": reseal(
    ({ data, sealed = "{}", type }) => {
      const reason = "provider_out_of_money"
      const changed = toCanonicalJson({ ...(JSON.parse(sealed) as object), reason })
      return type === "deferred" ? { sealed: changed } : { data: `${data} ` }
    },
  ),
  "the sealed text of another event": (stream, at) => {
    const event = pick(stream, at)
    const other = stream.events.find(
      ({ sealed }) => sealed !== undefined && sealed !== event.sealed,
    )
    Object.assign(event, { sealed: other?.sealed ?? "{}" })
  },
  "spaces in its data, sealed again": reseal(({ data }) => ({ data: `${data} ` })),
  "a moment before, sealed again": reseal(() => ({ at: -1 })),
  "another type, sealed again": reseal(({ type }) => ({
    schema: 1,
    type: type === "submitted" ? "doubted" : "submitted",
  })),
  "an attempt that is left out, sealed again": reseal(({ data, type }) => {
    const read = JSON.parse(data) as Record<string, unknown>
    return type === "dispatched"
      ? { data: toCanonicalJson({ ...read, attempt: 9 }) }
      : { data: `${data}\n` }
  }),
}

function pick({ events }: Stream, at: number): Stream["events"][number] {
  return events[at % events.length] ?? assert.fail("a stream without events")
}

type Change = (event: Stream["events"][number]) => Partial<Stream["events"][number]>

/** Without the salt, which nothing shows. */
function toUnited(data: string, sealed: string): string {
  const { salt: _, ...hidden } = JSON.parse(sealed) as { readonly salt?: string }
  return toCanonicalJson({ ...(JSON.parse(data) as object), ...hidden })
}

function change(to: Change): Tampering {
  return (stream, at) => void Object.assign(pick(stream, at), to(pick(stream, at)))
}

/** As a forger with the code would. */
function reseal(to: Change): Tampering {
  return (stream, at) => {
    change(to)(stream, at)
    let previous = "0".repeat(64)
    for (const event of stream.events) {
      previous = hashEvent(sha256, previous, {
        ...event,
        sealed: event.sealed ?? null,
        task: stream.task,
      })
      Object.assign(event, { hash: previous })
    }
  }
}

function tamper(lines: readonly string[], name: string, line: number, at: number): string[] {
  const streams = lines.flatMap((text, index) => (text.includes('"kind":"stream"') ? [index] : []))
  const index = streams[line % streams.length] ?? assert.fail("an export without streams")
  const stream = JSON.parse(lines[index] ?? "") as Stream
  TAMPERINGS[name]?.(stream, at)
  const events = lines
    .toSpliced(index, 1, `${JSON.stringify(stream)}\n`)
    .filter((text) => text.startsWith('{"kind":"stream"'))
    .reduce((total, text) => total + (JSON.parse(text) as Stream).events.length, 0)
  const trailer = { ...(JSON.parse(lines.at(-1) ?? "") as object), events }
  const altered = lines.toSpliced(index, 1, `${JSON.stringify(stream)}\n`)
  return resign([...altered.slice(0, -1), `${JSON.stringify(trailer)}\n`])
}

describe("check.py", { skip }, () => {
  it("finds nothing wrong with a whole export, and tells what it can't judge", async () => {
    const lines = await exportLines(await createTransferSource())
    const [verdict] = await checkByPython([lines])
    const [code, said] = verdict ?? assert.fail("it said nothing")
    assert.equal(code, 2, said)
    // The sample's prices are in no definition.
    assert.match(said, /can't be judged: the file has no price default-1/)
    assert.match(said, /could not tell: 11 tasks, 37 events\n$/)
  })

  it("finds nothing wrong with the exports that earlier commits wrote", async () => {
    const folder = join(import.meta.dirname, "golden")
    const names = readdirSync(folder).filter((name) => name.startsWith("export-"))
    const files = names.map((name) => [readFileSync(join(folder, name), "utf8")])
    for (const [index, [code, said]] of (await checkByPython(files)).entries()) {
      assert.equal(code, 2, `${names[index]}: ${said}`)
      assert.match(said, /could not tell: 11 tasks, 37 events\n$/)
    }
    assert.equal(files.length, 2)
  })

  it("finds what ours finds, whatever is done to any event, and nothing else", async (t) => {
    const lines = await exportLines(await createTransferSource())
    const tampering = fc.tuple(
      fc.constantFrom(...Object.keys(TAMPERINGS)),
      fc.nat(100),
      fc.nat(100),
    )
    const many = fc.noShrink(fc.array(tampering, { minLength: 100, maxLength: 100 }))
    await checkAsync(
      t,
      fc.asyncProperty(many, async (drawn) => {
        const files = drawn.map(([name, line, at]) => tamper(lines, name, line, at))
        const verdicts = await checkByPython(files)
        for (const [index, [code, said]] of verdicts.entries()) {
          const what = `${JSON.stringify(drawn[index])}: ${said}`
          assert.equal(await isTaken(files[index] ?? []), false, what)
          assert.equal(code, 1, what)
        }
      }),
      5,
    )
  })

  it("finds a file that was cut, mixed up, or counted wrong", async () => {
    const lines = await exportLines(await createTransferSource())
    const [first = "", second = "", ...rest] = lines
    const trailer = JSON.parse(lines.at(-1) ?? "") as Record<string, number>
    const miscounted = { ...trailer, streams: (trailer["streams"] ?? 0) + 1 }
    const files = [
      lines.slice(0, -1),
      [second, first, ...rest],
      [...lines.slice(0, 5), ...lines.slice(6)],
      [...lines.slice(0, -1), `${JSON.stringify(miscounted)}\n`],
      [...lines.slice(0, 8), lines[8]?.slice(0, 40) ?? ""],
      [first.replace('"kind"', '"kind":"header","kind"'), ...lines.slice(1)],
      [],
    ]
    const verdicts = await checkByPython(files)
    assert.deepEqual(
      verdicts.map(([code]) => code),
      files.map(() => 1),
    )
  })
})
