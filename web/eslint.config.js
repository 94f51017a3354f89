import js from '@eslint/js'
import reactHooks from 'eslint-plugin-react-hooks'
import globals from 'globals'
import tseslint from 'typescript-eslint'

/** Imports point one way: shared code knows no feature, a feature knows no other feature, only the app knows them all. */
const direction = [
  zone(
    ['club/src/components/**', 'club/src/content/**', 'club/src/lib/**'],
    ['**/features/**', '**/app/**'],
    'Shared code may not import from features or app.',
  ),
  ...[1, 2, 3].map((depth) =>
    zone(
      [`club/src/features/*/${'*/'.repeat(depth - 1)}*.{ts,tsx}`],
      // What climbs out of the feature; within it imports are relative.
      ['@/features/**', '@/app/**', `${'../'.repeat(depth)}**`],
      'A feature may not import from app or from another feature: move what both need to lib or components.',
    ),
  ),
]

function zone(files, group, message) {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] } }
}

export default tseslint.config(
  { ignores: ['*/dist', 'club/src/lib/database.types.ts'] },
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
  ...direction,
  { files: ['eslint.config.js'], languageOptions: { globals: globals.node } },
)
