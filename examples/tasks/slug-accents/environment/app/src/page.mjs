import { slugify } from './slug.mjs';

/** Where a page with this title lies. */
export function pagePath(section, title) {
  return `/${slugify(section)}/${slugify(title)}`;
}
