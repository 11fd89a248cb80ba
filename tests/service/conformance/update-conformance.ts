/** Writes the conformance table on its page anew. */
import { readFileSync, writeFileSync } from "node:fs"
import { PAGE, replaceTable, toConformanceTable } from "./conformance-page.ts"
import { SECTIONS } from "./sections.ts"

writeFileSync(PAGE, replaceTable(readFileSync(PAGE, "utf8"), toConformanceTable(SECTIONS)))
