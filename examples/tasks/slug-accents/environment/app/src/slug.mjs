/** A title as a part of a URL. */
export function slugify(title) {
  return title.toLowerCase().replace(/[^a-z0-9]/g, '-');
}
