import js from '@eslint/js'
import reactHooks from 'eslint-plugin-react-hooks'
import globals from 'globals'
import tseslint from 'typescript-eslint'

/**
 * Imports are allowed in one direction only. `ui` may not import from an app, shared code may not import from a feature, and a feature may not import
 * from another feature. Only `app` may import from all of them. Within the back-office, the shell may import from the kinds of records, and these may
 * import from `shared`. In addition, scripts/check-imports refuses import cycles between folders.
 */
const direction = [
  zone(['ui/src/**'], ['@cloch/club/**', '@cloch/dashboard/**', '@/**', '../../**'], 'ui may not import from an app.'),
  zone(
    ['club/src/components/**', 'club/src/content/**', 'club/src/lib/**'],
    ['**/features/**', '**/app/**'],
    'Shared code may not import from features or app.',
  ),
  zone(
    ['dashboard/src/components/**', 'dashboard/src/lib/**'],
    ['**/features/**', '**/app/**'],
    'Shared code may not import from features or app.',
  ),
  ...[1, 2, 3, 4].map((depth) => feature('*', depth)),
  ...[1, 2, 3].map((depth) => feature('*', depth, [], '', 'dashboard')),
  ...[2, 3, 4].map((depth) =>
    feature('admin', depth, ['**/shell/**', '**/export-all/**'], 'Only the shell may import from shell or export-all.'),
  ),
  feature('admin/shell', 1, ['../routes'], 'The shell is below the routes.'),
  feature('admin/export-all', 1, ['**/shell/**'], 'Only the routes may import from the shell.'),
  feature('admin/shared', 1, ['../**'], 'What the records share knows none of them.'),
]

/** Files of a feature may not import from outside the feature, nor from the paths in `group`. Imports within a feature are relative. */
function feature(name, depth, group = [], message = '', app = 'club') {
  const parts = name.split('/').length
  const others = ['@/features/**', '@/app/**', `${'../'.repeat(depth + parts - 1)}**`]
  const outside = 'A feature may not import from app or from another feature: move what both need to lib or components.'
  const files = [`${app}/src/features/${name}/${'*/'.repeat(depth - 1)}*.{ts,tsx}`]
  return restrict(files, [{ group: others, message: outside }, ...(group.length > 0 ? [{ group, message }] : [])])
}

function zone(files, group, message) {
  return restrict(files, [{ group, message }])
}

function restrict(files, patterns) {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } }
}

export default tseslint.config(
  { ignores: ['*/dist', 'docs/.vitepress/.temp', 'club/src/lib/database.types.ts'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      'no-console': ['error', { allow: ['warn', 'error'] }],
    },
  },
  {
    // Text that entrants and administrators type must not be cut. In the dashboard, some fields still have a maximum length that cuts text.
    files: ['club/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "JSXAttribute[name.name='maxLength'], Property[key.name='maxLength']",
          message: 'A browser cuts pasted text at maxLength without a word: keep the text whole, and say that it is too long.',
        },
      ],
    },
  },
  ...direction,
  { files: ['eslint.config.js'], languageOptions: { globals: globals.node } },
)
