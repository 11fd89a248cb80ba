/** An archive beside a SQLite file. */
import { openSqliteDatabase } from "../../core/support/archived-log.ts"
import { describeArchive } from "../store/describe-archive.ts"
import { describeTreeArchive } from "../store/describe-tree-archive.ts"

describeArchive("SQLite", openSqliteDatabase)
describeTreeArchive("SQLite", openSqliteDatabase)
