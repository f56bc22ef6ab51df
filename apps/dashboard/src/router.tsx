import { createRootRoute, createRoute, createRouter, Link, lazyRouteComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  readForecastSearch,
  readListSearch,
  readOverviewSearch,
  readRunsSearch,
  readScheduleSearch,
  readSchedulesSearch,
} from './search.js';
import { App } from './shell/app.js';
import { Empty } from './ui/parts.js';

// The type is written out, because the router's own type depends on this component.
const NotFound = (): ReactNode => (
  <Empty title="There is no page at this address">
    <Link to="/" className="link">
      Go to the overview
    </Link>
  </Empty>
);

const root = createRootRoute({ component: App, notFoundComponent: NotFound });
const getParentRoute = () => root;

/**
 * A page that is loaded when it is first opened. The type of its module is left out, because a page derives the types
 * of its URL from the router: the two types would depend on each other.
 */
const page = (load: () => Promise<unknown>, name: string) =>
  lazyRouteComponent(load as () => Promise<Record<string, () => ReactNode>>, name);

/** Every page of the dashboard. */
const routes = root.addChildren([
  createRoute({
    getParentRoute,
    path: '/',
    validateSearch: readOverviewSearch,
    component: page(() => import('./pages/overview.js'), 'Overview'),
  }),
  createRoute({
    getParentRoute,
    path: '/schedules',
    validateSearch: readSchedulesSearch,
    component: page(() => import('./pages/schedules.js'), 'Schedules'),
  }),
  createRoute({
    getParentRoute,
    path: '/schedules/new',
    component: page(() => import('./pages/new-schedule.js'), 'NewSchedule'),
  }),
  createRoute({
    getParentRoute,
    path: '/schedules/$id',
    validateSearch: readScheduleSearch,
    component: page(() => import('./pages/schedule.js'), 'SchedulePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/schedules/$id/edit',
    component: page(() => import('./pages/edit-schedule.js'), 'EditSchedule'),
  }),
  createRoute({
    getParentRoute,
    path: '/runs',
    validateSearch: readRunsSearch,
    component: page(() => import('./pages/runs.js'), 'Runs'),
  }),
  createRoute({
    getParentRoute,
    path: '/runs/$id',
    component: page(() => import('./pages/run.js'), 'RunPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/dead-letters',
    component: page(() => import('./pages/dead-letters.js'), 'DeadLetters'),
  }),
  createRoute({
    getParentRoute,
    path: '/forecast',
    validateSearch: readForecastSearch,
    component: page(() => import('./pages/forecast.js'), 'ForecastPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/alerts',
    component: page(() => import('./pages/alerts.js'), 'AlertsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/calendars',
    component: page(() => import('./pages/calendars.js'), 'Calendars'),
  }),
  createRoute({
    getParentRoute,
    path: '/people',
    component: page(() => import('./pages/people.js'), 'People'),
  }),
  createRoute({
    getParentRoute,
    path: '/audit',
    validateSearch: readListSearch,
    component: page(() => import('./pages/audit.js'), 'Audit'),
  }),
  createRoute({
    getParentRoute,
    path: '/keys',
    component: page(() => import('./pages/keys.js'), 'Keys'),
  }),
  createRoute({
    getParentRoute,
    path: '/system',
    component: page(() => import('./pages/system.js'), 'SystemPage'),
  }),
]);

/** The server sets the base element, so the path of the dashboard can change without a new build. */
const basepath = new URL(document.baseURI).pathname.replace(/\/$/, '') || '/';

export const router = createRouter({
  routeTree: routes,
  basepath,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingMs: 300,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
