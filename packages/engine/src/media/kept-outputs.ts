/**
 * Outputs that are stored while another of the same purchase still lacks, kept between two tries: each is
 * fetched once, and a task that ends without the others has them. They are in this process's memory alone.
 * Another process that takes the task over fetches them again, and what lies here is an orphan that retention
 * removes. A try takes them over, so that no two tries at once have the same ones.
 */
import {
  createBoundedCache,
  type ChannelOutput,
  type Completed,
  type ManifestEntry,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import { discardStored } from "./inspect-stored.ts"
import type { Work } from "../work/work.ts"

export type StoredOutput = Pick<
  ManifestEntry,
  "bytes" | "durationMs" | "locator" | "mimeType" | "sha256" | "type"
>

export interface KeptPart {
  readonly position: number
  /** What tells it from another output at its position. */
  readonly name: string
  readonly stored: StoredOutput
}

/** Of the purchase that a work follows. */
export interface KeptOutputs {
  /** The answer that they came with; undefined if none is kept. */
  findAnswer(work: Work): Completed | undefined
  /** Forgets them: they are the caller's. */
  take(work: Work): KeptPart[]
  keep(work: Work, completed: Completed, parts: readonly KeptPart[]): void
}

/** Purchases: some hundred bytes each. */
const REMEMBERED = 10_000

export function createKeptOutputs(): KeptOutputs {
  const purchases = createBoundedCache<{
    readonly completed: Completed
    readonly parts: readonly KeptPart[]
  }>(REMEMBERED)

  function take(work: Work): KeptPart[] {
    const kept = purchases.get(toKey(work))
    if (kept === undefined) return []
    purchases.delete(toKey(work))
    return [...kept.parts]
  }

  return {
    findAnswer: (work) => purchases.get(toKey(work))?.completed,
    take,
    keep(work, completed, parts) {
      const all = [...take(work), ...parts]
      if (all.length > 0) purchases.set(toKey(work), { completed, parts: all })
    },
  }
}

function toKey({ head: { task }, id }: Work): string {
  return task.dispatch?.upstreamKey ?? id
}

/** An address may be signed again with each answer: what it is signed with is no part of the name. */
export function toOutputName(output: ChannelOutput): string {
  if (output.sha256 !== undefined) return output.sha256
  return "url" in output ? (output.url.split(/[?#]/, 1)[0] ?? "") : ""
}

/** Removes what is kept of a purchase, as the task has ended without it or this process's part in it is over. */
export async function discardKept(context: Context, work: Work): Promise<void> {
  const parts = context.keptOutputs.take(work)
  if (parts.length > 0) await discardParts(context, work, parts)
}

export async function discardParts(
  context: Context,
  work: Work,
  parts: readonly Pick<KeptPart, "stored">[],
): Promise<void> {
  await Promise.all(
    parts.map(({ stored: { locator } }) => discardStored(context, work.id, locator)),
  )
}
