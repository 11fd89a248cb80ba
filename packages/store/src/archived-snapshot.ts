/** What stands in the row of an archived task in place of its snapshot: where its events are. */
import type { ArchivePart } from "@safelight/core"

/** How it begins: no snapshot of a task has this member. The schema's trigger knows it too. */
export const ARCHIVED_FROM = '{"archived":'

const PATTERN = /^\{"archived":\[(\d{1,9}),(\d{1,15}),(\d{1,15})\]\}$/

export function toArchivedSnapshot({ bytes, offset, segment }: ArchivePart): string {
  return `${ARCHIVED_FROM}[${segment},${offset},${bytes}]}`
}

export function isArchivedSnapshot(snapshot: string): boolean {
  return snapshot.startsWith(ARCHIVED_FROM)
}

/** Undefined if it is the snapshot of a task. */
export function findArchivePart(snapshot: string): ArchivePart | undefined {
  if (!isArchivedSnapshot(snapshot)) return undefined
  const [, segment, offset, bytes] = PATTERN.exec(snapshot) ?? []
  return { segment: Number(segment), offset: Number(offset), bytes: Number(bytes) }
}
