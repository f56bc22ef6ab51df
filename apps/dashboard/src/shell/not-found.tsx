import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty } from '../ui/parts.js';

// The type is written out, because the router's own type depends on this component.
export const NotFound = (): ReactNode => (
  <Empty title="There is no page at this address">
    <Link to="/" className="link">
      Go to the overview
    </Link>
  </Empty>
);
