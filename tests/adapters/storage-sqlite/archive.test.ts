/** An archive beside a SQLite file. */
import { openSqliteDatabase } from "../../core/support/archived-log.ts"
import { describeArchive } from "../store/describe-archive.ts"

describeArchive("SQLite", openSqliteDatabase)
