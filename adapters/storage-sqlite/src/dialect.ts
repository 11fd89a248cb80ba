/**
 * SQLite as the store's dialect. Text sorts by its bytes by default, and STRICT tables hold what
 * their columns say and nothing else.
 */
import type { StoreDialect } from "@safelight/store"
import { sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely"

export const SQLITE_DIALECT: StoreDialect = {
  kysely: {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  name: "sqlite",
  version: sql<string>`sqlite_version()`,
  nameType: "text",
  compactType: "text",
  integerType: "integer",
  smallIntegerType: "integer",
  keyedTable: "strict, without rowid",
  wideTable: "strict",
  makeAppendOnly: (table) =>
    (["update", "delete"] as const).map(
      (change) => sql`
        create trigger ${sql.id(`${table}_refuse_${change}`)}
        before ${sql.raw(change)} on ${sql.table(table)}
        begin select raise(abort, ${sql.lit(`${table} is append-only`)}); end`,
    ),
  allowDeletes: ({ table, where }) => [
    sql`drop trigger ${sql.id(`${table}_refuse_delete`)}`,
    sql`
      create trigger ${sql.id(`${table}_refuse_delete`)}
      before delete on ${sql.table(table)} when not ${sql.raw(where)}
      begin select raise(abort, ${sql.lit(`${table} is append-only`)}); end`,
  ],
  numberedKey: "integer not null primary key",
  noteInserts: ({ from, to, whileAny }) => [
    sql`
      create trigger ${sql.id(`${from}_noted`)} after insert on ${sql.table(from)}
      when exists (select 1 from ${sql.table(whileAny)})
      begin
        insert into ${sql.table(to)} (events)
        values (json_array(json_array(new.task, new.version, new.at, new.hash)));
      end`,
  ],
  deleteAtInserts: ({ from, into, key, value }) => [
    sql`
      create trigger ${sql.id(`${into}_delete_${from}`)} after insert on ${sql.table(into)}
      begin
        delete from ${sql.table(from)} where ${sql.id(key)} = ${sql.raw(value("new"))};
      end`,
  ],
  toNote: sql<string>`json_group_array(json_array(task, version, at, hash) order by task, version)`,
  noteLength: sql<number>`json_array_length(events)`,
  // One writer at a time: nobody else's row is ever locked.
  canSkipLocked: false,
  toMemberJson: (column, path) =>
    sql<string | null>`(${sql.ref(column)} -> ${sql.lit(`$.${path.join(".")}`)})`,
  toList: (texts) => JSON.stringify(texts),
  toMembers: (list) => sql<string>`(select value from json_each(${list}))`,
  toCounts: (json) => sql`(select key, value as count from json_each(${json}))`,
}
