/** Writes the client's generated types anew. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../architecture/workspaces.ts"
import { generateClientTypes } from "./client-types.ts"

for (const [path, text] of Object.entries(await generateClientTypes())) {
  writeFileSync(join(ROOT, path), text)
}
