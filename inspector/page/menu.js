// A button that opens a panel, which Escape or a click elsewhere closes.

import { button, element } from './elements.js';

let made = 0;
const margin = 8; // pixels between a panel and the edge of the window

/** `content` is shown in the panel. With `collapses`, the content is shown without the button where there is room. */
export function menu(label, content, { collapses = false, opened = () => {} } = {}) {
  const panel = element('div', { class: 'menu-panel', id: `menu-${++made}` }, content);
  const set = (isOpen) => {
    place.toggleAttribute('data-open', isOpen);
    toggle.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) opened();
    panel.style.translate = '';
    const beyond = panel.getBoundingClientRect().right - document.documentElement.clientWidth + margin;
    if (isOpen && beyond > 0) panel.style.translate = `${-beyond}px`;
  };
  const toggle = button(label, () => set(!place.hasAttribute('data-open')), { class: 'menu-button', 'aria-expanded': 'false', 'aria-controls': panel.id });
  const place = element('div', {
    class: `menu ${collapses ? 'collapses' : ''}`,
    onkeydown: (event) => {
      if (event.key !== 'Escape' || !place.hasAttribute('data-open')) return;
      event.stopPropagation();
      set(false);
      toggle.focus();
    },
    onfocusout: ({ relatedTarget }) => { if (relatedTarget && !place.contains(relatedTarget)) set(false); },
  }, toggle, panel);
  const outside = ({ target }) => { if (!place.contains(target)) set(false); };
  document.addEventListener('pointerdown', outside);
  return { place, toggle, panel, close: () => set(false), end: () => document.removeEventListener('pointerdown', outside) };
}
