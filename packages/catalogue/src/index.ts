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
