{{- define "carillon.labels" -}}
app.kubernetes.io/name: carillon
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "carillon.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "carillon.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "carillon.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "carillon.env" -}}
- name: MIGRATE_ON_START
  value: "false"
- name: DATABASE_URL
  valueFrom:
    secretKeyRef: { name: {{ .Values.secrets.database | quote }}, key: DATABASE_URL }
- name: DATABASE_DIRECT_URL
  valueFrom:
    secretKeyRef: { name: {{ .Values.secrets.database | quote }}, key: DATABASE_DIRECT_URL, optional: true }
- name: REDIS_URL
  valueFrom:
    secretKeyRef: { name: {{ .Values.secrets.redis | quote }}, key: REDIS_URL }
- name: CARILLON_ADMIN_KEY
  valueFrom:
    secretKeyRef: { name: {{ .Values.secrets.keys | quote }}, key: CARILLON_ADMIN_KEY }
- name: CARILLON_ENCRYPTION_KEY
  valueFrom:
    secretKeyRef: { name: {{ .Values.secrets.keys | quote }}, key: CARILLON_ENCRYPTION_KEY }
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "carillon.pod" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
automountServiceAccountToken: false
volumes:
  - name: tmp
    emptyDir: {}
  - name: data
    emptyDir: {}
{{- with .Values.extraVolumes }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{- define "carillon.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: data, mountPath: /data }
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}
