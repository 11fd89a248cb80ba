/** `npm run pack`: the packages as npm would publish them, in the folder `tarballs`, which git ignores. */
import { rm } from "node:fs/promises"
import { join, relative } from "node:path"
import { ROOT } from "./architecture/workspaces.ts"
import { packPackages } from "./packages/pack-packages.ts"

const folder = join(ROOT, "tarballs")
await rm(folder, { recursive: true, force: true })
for (const { path } of await packPackages(folder)) console.log(relative(ROOT, path))
