/**
 * What a round leaves behind in its database, read past the ports: the tables that the log can't make anew,
 * what stands beside it of each task, and every text there is. Of a file the bytes count as well, since what
 * was deleted may lie on a page that nobody reads.
 */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { exportStreams } from "@safelight/audit"
import type { Storage } from "@safelight/core"
import { sha256 } from "@safelight/engine"
import type { FoundText } from "./judge-erasures.ts"
import type { KeptRows } from "./judge-rows.ts"
import { openRawRows, toTaskId, type RawRows } from "./raw-rows.ts"

export interface StoredFacts {
  readonly rows: KeptRows
  /** By task: the tables with something of it beside the log. */
  readonly besides: ReadonlyMap<string, readonly string[]>
  readonly texts: readonly FoundText[]
}

type TaskColumn = { readonly task: string | Uint8Array }

const BESIDES = ["inputs", "labels", "idempotency"] as const

export async function readStoredFacts(place: string, storage: Storage): Promise<StoredFacts> {
  await using raw = await openRawRows(place)
  const queued = await raw.read<TaskColumn>("select task from ready")
  const retained = await raw.read<TaskColumn & { readonly due_at: string | number }>(
    "select task, due_at from retention",
  )
  const exported = await readExport(storage)
  return {
    rows: {
      queued: new Set(queued.map(({ task }) => toTaskId(task))),
      retained: new Map(retained.map(({ due_at: at, task }) => [toTaskId(task), Number(at)])),
    },
    besides: await readBesides(raw),
    texts: [
      ...(await readTables(raw)),
      ...(await readFiles(place)),
      { place: "an export", text: exported },
    ],
  }
}

async function readBesides(raw: RawRows): Promise<ReadonlyMap<string, readonly string[]>> {
  const besides = new Map<string, string[]>()
  for (const table of BESIDES) {
    for (const { task } of await raw.read<TaskColumn>(`select distinct task from ${table}`)) {
      const id = toTaskId(task)
      besides.set(id, [...(besides.get(id) ?? []), table])
    }
  }
  return besides
}

async function readTables(raw: RawRows): Promise<readonly FoundText[]> {
  const texts: FoundText[] = []
  for (const table of await raw.listTables()) {
    const rows = await raw.read<object>(`select * from ${table}`)
    texts.push({ place: `table ${table}`, text: JSON.stringify(rows, toJson) })
  }
  return texts
}

function toJson(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value
}

/** None of a server, which keeps old rows until it cleans up. */
async function readFiles(place: string): Promise<readonly FoundText[]> {
  if (place.startsWith("postgres:")) return []
  const names = ["safelight.db", "safelight.db-wal"]
  const there = names.filter((name) => existsSync(join(place, name)))
  return Promise.all(
    there.map(async (name) => ({
      place: `file ${name}`,
      text: await readFile(join(place, name), "latin1"),
    })),
  )
}

async function readExport(storage: Storage): Promise<string> {
  const lines: string[] = []
  const now = Date.now()
  for await (const line of exportStreams({ storage, digest: sha256, now, isSealed: false })) {
    lines.push(line)
  }
  return lines.join("")
}
