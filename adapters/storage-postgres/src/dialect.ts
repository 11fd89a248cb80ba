/**
 * PostgreSQL as the store's dialect. Ids are collated by their bytes, whatever the database's own
 * locale is, since pages of ids continue by comparing them.
 */
import type { StoreDialect } from "@safelight/store"
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from "kysely"
import { toCompactArray, toTextArray } from "./binary-array.ts"
import { COMPACT_TEXT } from "./compact-text.ts"
import { hasNul } from "./named-query.ts"

export const POSTGRES_DIALECT: StoreDialect = {
  kysely: {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  name: "postgresql",
  version: sql<string>`current_setting('server_version')`,
  nameType: `text collate "C"`,
  compactType: "bytea",
  compact: COMPACT_TEXT,
  integerType: "bigint",
  smallIntegerType: "integer",
  keyedTable: "",
  wideTable: "",
  makeAppendOnly: (table) => [
    sql`
      create function ${sql.id(`${table}_refuse_change`)}() returns trigger language plpgsql as
      ${sql.lit(`begin raise exception '${table} is append-only'; end`)}`,
    sql`
      create trigger ${sql.id(`${table}_refuse_change`)}
      before update or delete on ${sql.table(table)}
      for each row execute function ${sql.id(`${table}_refuse_change`)}()`,
    // Rows are one way, the whole table another.
    sql`
      create trigger ${sql.id(`${table}_refuse_truncate`)}
      before truncate on ${sql.table(table)}
      for each statement execute function ${sql.id(`${table}_refuse_change`)}()`,
  ],
  // PostgreSQL reads every text on the way to the member, and refuses U+0000 wherever it stands.
  toMemberJson: (column, path) =>
    sql<string | null>`(replace(${sql.ref(column)}, '\\u0000', '\\u0001')::json ${sql.join(
      path.map((name) => sql`-> ${sql.lit(name)}`),
      sql` `,
    )})::text`,
  // A text column holds no U+0000, so no row is found by a text with one.
  toList: (texts, isCompact) =>
    isCompact ? toCompactArray(texts) : toTextArray(texts.filter((text) => !hasNul(text))),
  toMembers: (list, isCompact) =>
    sql<string>`(select unnest(${list}::${sql.raw(isCompact ? "bytea[]" : "text[]")}))`,
  toCounts: (json) => sql`(select key, value::integer as count from json_each_text(${json}::json))`,
  canSkipLocked: true,
}
