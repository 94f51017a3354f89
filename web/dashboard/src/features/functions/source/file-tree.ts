/** Builds a tree of folders from paths. */

export interface Folder {
  name: string
  path: string
  folders: Folder[]
  files: { name: string; path: string }[]
}

/** Builds the tree. If a folder contains only one other folder, both are merged into one entry: `functions/hello`. */
export function treeOf(paths: readonly string[]): Folder {
  const root: Folder = { name: '', path: '', folders: [], files: [] }
  for (const path of paths) {
    const parts = path.split('/')
    const name = parts.pop() ?? ''
    let folder = root
    for (const part of parts) {
      const at = folder.path === '' ? part : `${folder.path}/${part}`
      let next = folder.folders.find((one) => one.name === part)
      if (!next) {
        next = { name: part, path: at, folders: [], files: [] }
        folder.folders.push(next)
      }
      folder = next
    }
    folder.files.push({ name, path })
  }
  return sorted({ ...root, folders: root.folders.map(joined) })
}

function joined(folder: Folder): Folder {
  const [only, ...others] = folder.folders
  if (only && others.length === 0 && folder.files.length === 0) {
    return joined({ ...only, name: `${folder.name}/${only.name}` })
  }
  return { ...folder, folders: folder.folders.map(joined) }
}

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name, 'en')

const sorted = (folder: Folder): Folder => ({
  ...folder,
  folders: folder.folders.map(sorted).sort(byName),
  files: folder.files.toSorted(byName),
})
