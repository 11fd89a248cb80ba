/**
 * Notes of events that have no leaf yet, as bytes: 4 for how many there are, and for each event 16 of numbers, then its
 * task and its hash as they are kept. They are made within the commit of an append, where JSON took four times as long:
 * it was twice as large, and over a quarter of a page a value is compressed.
 */
import type { StoreDialect } from "@safelight/store"
import type { UnsequencedEvent } from "@safelight/core"
import { sql } from "kysely"
import { fromCompactDigits } from "./compact-text.ts"

/** The lengths of task and hash share a number: no key of an index is longer than a third of a page. */
const EVENT = `int4send(octet_length(task) << 16 | octet_length(hash)) || int4send(version) ||
  int8send(at) || task || hash`

const pack = (order: string) => `int4send(count(*)::integer) || string_agg(${EVENT}, '' ${order})`

/** In the order of tasks and versions. */
export const PACKED_NOTE = pack("order by task, version")

/** Of a note that is kept outside of its row no more is read than these bytes. */
export const PACKED_COUNT = `('x' || encode(substring(events from 1 for 4), 'hex'))::bit(32)::integer`

type PackNotes = NonNullable<StoreDialect["packNotes"]>

const COUNT_BYTES = 4
const NUMBERS_BYTES = 16

/** Up to this a note stays in its row: as much as a page of 8 KiB takes. */
const INLINE_BYTES = 8_160

/**
 * Has a function note events so, whose trigger is there, and turns the notes that are there into bytes. Such notes are
 * JSON: a list of task, version, moment and hash for each event, with hexadecimal digits.
 */
export const packNotes: PackNotes = ({ from, to, whileAny }) => [
  sql.raw(`alter table ${to} add column packed bytea`),
  sql.raw(`
    update ${to} set packed = coalesce((
      select ${pack("order by place")}
      from json_array_elements(events::json) with ordinality as notes (note, place),
        lateral (
          select decode(note ->> 0, 'hex') as task, (note ->> 1)::integer as version,
            (note ->> 2)::bigint as at, decode(note ->> 3, 'hex') as hash
        ) as event
    ), '')`),
  sql.raw(`alter table ${to} drop column events`),
  sql.raw(`alter table ${to} rename column packed to events`),
  sql.raw(`alter table ${to} alter column events set not null`),
  sql.raw(`alter table ${to} set (toast_tuple_target = ${INLINE_BYTES})`),
  replaceNoting({ from, to, whileAny }),
]

/** Once a statement, however many rows it adds. A query of a function sees what was committed before it. */
function replaceNoting({ from, to, whileAny }: Parameters<PackNotes>[0]) {
  const body = `begin
    insert into ${to} (events)
    select ${pack("")} from added where exists (select from ${whileAny}) having count(*) > 0;
    return null;
  end`
  const name = sql.id(`${from}_noted`)
  return sql`create or replace function ${name}() returns trigger language plpgsql as ${sql.lit(body)}`
}

/** `note` is `\x` and hexadecimal digits. */
export function fromPackedNote(note: string): readonly UnsequencedEvent[] {
  const bytes = Buffer.from(note.slice(2), "hex")
  const events: UnsequencedEvent[] = []
  let at = COUNT_BYTES
  const takeDigits = (length: number): string => {
    const start = 2 + 2 * at
    at += length
    return fromCompactDigits(note.slice(start, start + 2 * length))
  }
  while (at < bytes.length) {
    const [taskBytes, hashBytes] = [bytes.readUInt16BE(at), bytes.readUInt16BE(at + 2)]
    const version = bytes.readUInt32BE(at + 4)
    const moment = bytes.readUInt32BE(at + 8) * 2 ** 32 + bytes.readUInt32BE(at + 12)
    at += NUMBERS_BYTES
    events.push({ task: takeDigits(taskBytes), version, at: moment, hash: takeDigits(hashBytes) })
  }
  return events
}
