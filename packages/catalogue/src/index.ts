/** Well-known models as data. */
export {
  findCatalogueModel,
  listCatalogue,
  type CatalogueFile,
  type CatalogueModel,
  type CatalogueUpstream,
  type ListPrice,
  type ModelSource,
} from "./catalogue.ts"
export {
  importModel,
  IMPORTED_FROM,
  type ImportOptions,
  type ModelImport,
} from "./import/import-model.ts"
export type { ImportNote } from "./import/import-note.ts"
